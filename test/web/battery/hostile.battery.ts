import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeInBrowser } from "../support/browser-spec.ts";
import { isShown, newPage, openContext, SIZES } from "../support/browsing.ts";
import { startHostile } from "../support/hostile-seed.ts";
import { coveredHeadsOf, sidewaysScrollOf } from "../support/inspection.ts";
import { pagesOf } from "../support/pages.ts";
import type { Seeded } from "../support/seed.ts";

describeInBrowser("hostile texts", (open) => {
  let service: Seeded;
  beforeAll(async () => {
    service = await startHostile();
  });
  afterAll(() => service.stop());

  test("hostile texts are text on every page: no script runs, no element comes of them, and the page keeps its layout", async () => {
    const context = await openContext(open.browser, service.url);
    const stranger = await openContext(open.browser, service.url, { signedIn: false });
    const faults: string[] = [];
    let withMarkup = 0;
    for (const { name, path, isPublic, prepare } of await pagesOf(service)) {
      const { page, errors } = await newPage(isPublic ? stranger : context);
      await page.goto(path);
      await isShown(page).catch((error: unknown) => errors.push(String(error)));
      await prepare?.(page).catch((error: unknown) => errors.push(String(error)));
      if ((await page.content()).includes("&lt;img src=x")) withMarkup++;
      const found = [...(await ranOf(page)), ...(await leaksOf(page)), ...errors];
      for (const size of ["wide", "narrow"] as const) {
        await page.setViewportSize(SIZES[size]);
        const layout = [...(await sidewaysScrollOf(page)), ...(await coveredHeadsOf(page))];
        found.push(...layout.map((fault) => `${size}: ${fault}`));
      }
      faults.push(...found.map((fault) => `${name}: ${fault}`));
      await page.close();
    }
    await context.close();
    await stranger.close();
    expect(faults).toEqual([]);
    expect(withMarkup).toBeGreaterThan(25);
  });
});

/**
 * Returns the texts whose direction marks change the order of the words around them. An element must isolate such a text, or the
 * text must be alone in its block.
 */
const leaksOf = (page: Page): Promise<string[]> =>
  page.evaluate(`(() => {
    const leaks = new Set();
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const { data, parentElement } = walker.currentNode;
      if (!/[\\u202A-\\u202E\\u2066-\\u2068]/.test(data) || parentElement.closest("textarea, script, option") !== null) continue;
      let element = parentElement;
      let isIsolated = false;
      for (; element !== null; element = element.parentElement) {
        const { unicodeBidi, display } = getComputedStyle(element);
        isIsolated = /isolate|plaintext/.test(unicodeBidi) && (element.matches("bdi, [dir]") || element.textContent.trim() === data.trim());
        if (isIsolated || !/^(inline|contents)/.test(display) || display === "inline-block") break;
      }
      if (!isIsolated && element?.textContent.trim() !== data.trim())
        leaks.add("a text turns the words around it: " + JSON.stringify(element.outerHTML.replace(/<svg.*?<\\/svg>/g, "").slice(0, 200)));
    }
    return [...leaks];
  })()`) as Promise<string[]>;

/** Returns anything but text that a page made of a hostile text, such as elements or scripts. */
const ranOf = (page: Page): Promise<string[]> =>
  page.evaluate(`[
    globalThis.hostile === undefined ? [] : ["a script of a text ran"],
    [...document.querySelectorAll("img[src=x], svg[onload], b")].filter((element) => !element.matches("b") || element.textContent === "bold").map((element) => "an element came of a text: " + element.outerHTML.slice(0, 80)),
  ].flat()`) as Promise<string[]>;
