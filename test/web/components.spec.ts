import { readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openBareService } from "../support/bare-service.ts";
import { buildGallery } from "./gallery/build.ts";
import { describeInBrowser } from "./support/browser-spec.ts";
import { openContext, SIZES, THEMES } from "./support/browsing.ts";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** The folder for screenshots. If it is not set, the spec takes none. */
const PICTURES = process.env["SVC_GALLERY_PICTURES"];

/** Returns the violations of WCAG 2.2 AA that axe finds, each with its places. */
async function faultsOf(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
  const options = { runOnly: tags, rules: { region: { enabled: false } } };
  const { violations } = await page.evaluate<AxeResults>(`axe.run(${JSON.stringify(options)})`);
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} ${target}: ${failureSummary}`),
  );
}

describeInBrowser("the components", (open) => {
  let folder: string;
  let service: Awaited<ReturnType<typeof openBareService>>;
  beforeAll(async () => {
    folder = await buildGallery();
    // The service sends the content security policy of the pages with the gallery too.
    service = await openBareService({}, undefined, folder);
  });
  afterAll(async () => {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Opens the gallery, and waits until its charts are drawn. Its loading placeholders never end. */
  async function openGallery(size: keyof typeof SIZES, theme: (typeof THEMES)[number], query = "") {
    const context = await openContext(open.browser, service.url, { size, theme, signedIn: false });
    const page = await context.newPage();
    const errors: string[] = [];
    page.on("pageerror", (error) => errors.push(String(error)));
    page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
    await page.goto(`/${query}`);
    await page.locator("canvas").nth(1).waitFor();
    return { context, page, errors };
  }

  describe.each(THEMES)("in the %s theme", (theme) => {
    test.each(["wide", "narrow"] as const)("axe finds no fault and nothing is wider than a %s screen", async (size) => {
      const { context, page, errors } = await openGallery(size, theme);
      if (PICTURES) await page.screenshot({ path: join(PICTURES, `${size}-${theme}.png`), fullPage: true });
      expect(await faultsOf(page)).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(SIZES[size].width);
      expect(errors).toEqual([]);
      await context.close();
    });
  });

  test("a dialog focuses its first field, keeps a menu usable, and gives the focus back", async () => {
    const { context, page } = await openGallery("wide", "light");
    await page.getByRole("button", { name: "Open the form" }).click();
    const dialog = page.getByRole("dialog", { name: "Rename the suite" });
    await dialog.waitFor();
    expect(await page.evaluate("document.activeElement.value")).toBe("Booking by phone");
    await dialog.getByRole("button", { name: "Actions" }).click();
    await page.keyboard.press("Escape");
    expect(await page.getByRole("menu").count()).toBe(0);
    await dialog.getByRole("button", { name: "Actions" }).click();
    await page.getByRole("menuitem", { name: "Duplicate" }).click();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Open the form");
    await context.close();
  });

  test("a form with typed text asks before Escape or its cross closes it, and Escape keeps the text", async () => {
    const { context, page } = await openGallery("wide", "light");
    await page.getByRole("button", { name: "Open the form" }).click();
    const dialog = page.getByRole("dialog", { name: "Rename the suite" });
    await dialog.getByLabel("Name").fill("Booking by mail");
    await page.mouse.click(10, 10);
    await page.keyboard.press("Escape");
    await dialog.getByRole("alert").waitFor();
    expect(await faultsOf(page)).toEqual([]);
    if (PICTURES) await page.screenshot({ path: join(PICTURES, "unsaved.png") });
    await page.keyboard.press("Escape");
    await dialog.getByRole("alert").waitFor({ state: "detached" });
    expect(await dialog.getByLabel("Name").inputValue()).toBe("Booking by mail");
    await dialog.getByRole("button", { name: "Close" }).click();
    await dialog.getByRole("button", { name: "Keep editing" }).press("Enter");
    expect(await dialog.getByLabel("Name").inputValue()).toBe("Booking by mail");
    await page.keyboard.press("Escape");
    await dialog.getByRole("button", { name: "Discard the text" }).click();
    await dialog.waitFor({ state: "detached" });
    await context.close();
  });

  test("neither Escape nor a press beside it closes a dialog that only its button closes", async () => {
    const { context, page } = await openGallery("wide", "light", "?open=secret");
    const dialog = page.getByRole("dialog");
    for (let press = 0; press < 3; press++) await page.keyboard.press("Escape");
    await page.mouse.click(10, 10);
    expect(await dialog.isVisible()).toBe(true);
    expect(await faultsOf(page)).toEqual([]);
    if (PICTURES) await page.screenshot({ path: join(PICTURES, "secret.png") });
    await context.close();
  });

  test("a dialog asks for the name of a thing before its button deletes the thing", async () => {
    const { context, page } = await openGallery("narrow", "dark", "?open=confirm");
    const button = page.getByRole("button", { name: "Delete" });
    expect(await button.isDisabled()).toBe(true);
    await page.keyboard.type("Booking by phone");
    expect(await button.isDisabled()).toBe(false);
    expect(await faultsOf(page)).toEqual([]);
    if (PICTURES) await page.screenshot({ path: join(PICTURES, "confirm.png") });
    await context.close();
  });

  test("the keyboard chooses, removes and searches in a combobox", async () => {
    const { context, page } = await openGallery("wide", "light");
    const field = page.getByRole("combobox", { name: "Personas" });
    await field.click();
    expect(await page.getByRole("listbox", { name: "Personas" }).getByRole("option").count()).toBe(4);
    await page.keyboard.type("hur");
    if (PICTURES) await page.screenshot({ path: join(PICTURES, "combobox.png") });
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Remove hurried" }).waitFor();
    await page.keyboard.press("Backspace");
    await page.getByRole("button", { name: "Remove hurried" }).waitFor({ state: "detached" });
    await page.keyboard.type("nothing like it");
    await page.getByText("Nothing matches.").waitFor();
    await page.keyboard.press("Escape");
    expect(await field.getAttribute("aria-expanded")).toBe("false");
    await context.close();
  });

  test("the arrow keys move the crosshair of a plot, and its values are announced", async () => {
    const { context, page } = await openGallery("wide", "light");
    const plot = page.getByRole("group", { name: "Response latency" });
    await plot.focus();
    await page.keyboard.press("ArrowLeft");
    expect(await plot.getByRole("status").innerText()).toMatch(/22 Nov[\s\S]*Front desk[\s\S]*1\.19 s/);
    await page.keyboard.press("ArrowLeft");
    expect(await plot.getByRole("status").innerText()).toContain("After hours");
    if (PICTURES) await page.screenshot({ path: join(PICTURES, "plot.png"), fullPage: true });
    await context.close();
  });

  test("a filter opens its choices, takes one and is taken off", async () => {
    const { context, page } = await openGallery("narrow", "light");
    await page.getByRole("button", { name: "Agent" }).click();
    if (PICTURES) await page.screenshot({ path: join(PICTURES, "filter.png") });
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "calm", exact: true }).click();
    await page.getByRole("button", { name: "Take off the filter Agent" }).click();
    expect(await page.getByRole("button", { name: "Take off the filter Agent" }).count()).toBe(0);
    await context.close();
  });
});
