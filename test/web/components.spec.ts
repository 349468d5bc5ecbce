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
/** A folder for pictures; without it none are taken. */
const PICTURES = process.env["SVC_GALLERY_PICTURES"];

/** Returns the faults that axe finds against WCAG 2.2 AA, each with its places. */
async function faultsOf(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
  const options = { runOnly: tags, rules: { region: { enabled: false } } };
  const { violations } = await page.evaluate<AxeResults>(`axe.run(${JSON.stringify(options)})`);
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => `${id} ${target}: ${failureSummary}`));
}

describeInBrowser("the components", (open) => {
  let folder: string;
  let service: Awaited<ReturnType<typeof openBareService>>;
  beforeAll(async () => {
    folder = await buildGallery();
    // The service sends the pages' security policy with the gallery too.
    service = await openBareService({}, undefined, folder);
  });
  afterAll(async () => {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Opens the gallery, and waits until its plots are drawn; its skeletons never end. */
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
});
