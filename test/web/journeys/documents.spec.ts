import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TestServer } from "../../support/server.ts";
import { describeInBrowser } from "../support/browser-spec.ts";
import { newPage, openContext } from "../support/browsing.ts";
import { addInspection, violationsOf } from "../support/inspection.ts";
import { startEmpty } from "../support/seed.ts";

describeInBrowser("the search of the documents", (open) => {
  let service: TestServer;
  let page: Page;
  let errors: string[];
  beforeAll(async () => {
    service = await startEmpty();
    const context = await openContext(open.browser, service.url, { signedIn: false });
    await addInspection(context);
    ({ page, errors } = await newPage(context));
  });
  afterAll(() => service.stop());

  test("a person finds a setting by the keyboard alone, and reads it at its heading", async () => {
    await page.goto("/docs");
    expect(new URL(page.url()).pathname).toBe("/docs/");
    await page.keyboard.press("/");
    await page.keyboard.type("SVC_RETENTION_DAYS");
    const results = page.getByRole("option");
    await results.first().waitFor();
    expect(await violationsOf(page)).toEqual([]);
    const chosen = page.getByRole("option", { selected: true });
    // Every result of the first search names the setting. Which result comes first depends on the documents.
    const first = await chosen.textContent();
    await page.keyboard.press("ArrowDown");
    expect(await chosen.textContent()).not.toBe(first);
    await page.keyboard.press("ArrowUp");
    expect(await chosen.textContent()).toBe(first);
    while (!(await chosen.textContent())!.startsWith("Configuration")) await page.keyboard.press("ArrowDown");
    expect(await chosen.textContent()).toContain("SVC_RETENTION_DAYS");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/docs/configuration.html#data");
    expect(await page.locator("#data").textContent()).toMatch(/^Data/);
    expect(errors).toEqual([]);
  });

  test("signs among the words do no harm, and words that are nowhere have a sentence", async () => {
    await page.keyboard.press("/");
    await page.keyboard.type("region=eu (");
    await page.getByRole("option").first().waitFor();
    await page.getByRole("combobox").fill("zzqqxx");
    await page.getByText('Nothing has the words "zzqqxx".').waitFor();
    await page.keyboard.press("Escape");
    expect(await page.getByRole("option").count()).toBe(0);
    expect(errors).toEqual([]);
  });

  test("a page works without its script, and a menu of the pages leads to the documents", async () => {
    const context = await open.browser.newContext({ baseURL: service.url, javaScriptEnabled: false });
    const plain = await context.newPage();
    await plain.goto("/docs/tests");
    await plain.getByRole("link", { name: "Callers", exact: true }).first().click();
    expect(await plain.getByRole("heading", { level: 1 }).textContent()).toBe("Callers");
    await context.close();
    const signedIn = await openContext(open.browser, service.url);
    const { page: overview } = await newPage(signedIn);
    await overview.goto("/");
    await overview.getByRole("link", { name: "Documents" }).click();
    await overview.waitForURL("**/docs/");
    await signedIn.close();
  });
});
