import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../../support/until.ts";
import { describeInBrowser } from "../support/browser-spec.ts";
import { openContext, openPage } from "../support/browsing.ts";
import { pagesOf } from "../support/pages.ts";
import { type Seeded, startSeeded } from "../support/seed.ts";

const FINGER_PIXELS = 44;

describeInBrowser("a telephone", (open) => {
  let service: Seeded;
  let context: BrowserContext;
  let pathOf: (name: string) => string;
  beforeAll(async () => {
    service = await startSeeded();
    const pages = await pagesOf(service);
    pathOf = (wanted) => pages.find(({ name }) => name === wanted)!.path;
    context = await openContext(open.browser, service.url, { size: "narrow", hasTouch: true });
  });
  afterAll(() => service.stop());
  afterAll(() => context.close());

  /** Returns the buttons and links that are smaller than a finger, each with its size. */
  const smallTargetsOf = (page: Page) =>
    page.evaluate(`[...document.querySelectorAll("header button, header a, main button, main a, main summary")]
      .map((target) => [target, target.getBoundingClientRect()])
      .filter(([, { width, height }]) => width > 1 && Math.min(width, height) < ${FINGER_PIXELS})
      .map(([target, { width, height }]) =>
        (target.ariaLabel || target.textContent).slice(0, 40) + ": " + width + " × " + height)`);

  /** Waits until an element is on the screen, and returns how far its top is from the top of the screen. */
  const topOnScreen = (page: Page, selector: string) =>
    until(
      () => `${selector} is on the screen`,
      () =>
        page.evaluate<number | false>(`(() => {
          const { top = -1, bottom = -1 } = document.querySelector("${selector}")?.getBoundingClientRect() ?? {};
          return top > 0 && bottom < innerHeight && top;
        })()`),
    );

  test("a failed simulation begins with its verdict and the reasons, and a reason leads to the words", async () => {
    const { page, errors } = await openPage(context, pathOf("simulation"));
    const reasons = page.getByRole("list", { name: "Why it did not pass" });
    const first = reasons.getByRole("button").first();
    const grid = page.getByRole("treegrid", { name: "Transcript and waterfall" });
    const [reason, transcript] = [(await reasons.boundingBox())!, (await grid.boundingBox())!];
    expect(await page.evaluate("scrollY")).toBe(0);
    expect(reason.y + reason.height).toBeLessThanOrEqual(transcript.y);
    expect(await first.innerText()).toContain("book_room failed, and the agent claimed success.");

    await page.evaluate("scrollTo(0, document.body.scrollHeight)");
    await first.evaluate((button: { click(): void }) => button.click());
    expect(await topOnScreen(page, "mark[data-selected]")).toBeGreaterThan(0);
    expect(errors).toEqual([]);
    await page.close();
  });

  test("the number of a verdict leads from the words to its card, and the evidence on the card back to the words", async () => {
    const { page } = await openPage(context, pathOf("simulation"));
    await page.getByRole("button", { name: /^Verdict 1:/ }).tap();
    const card = await topOnScreen(page, "article[data-selected]");
    expect(card).toBeGreaterThan(0);
    const evidence = page.locator("article[data-selected]").getByRole("button", { name: /^turn/ }).first();
    await evidence.tap();
    expect(await topOnScreen(page, "mark[data-selected]")).toBeGreaterThan(0);
    await page.close();
  });

  test.each(["simulation", "conversation"])(
    "a %s has one scale of time, and all its targets are as large as a finger",
    async (name) => {
      const { page, errors } = await openPage(context, pathOf(name));
      const plots = (await page.evaluate(`[...document.querySelectorAll("main [data-plot]")].map((plot) => {
        const { left, width } = plot.getBoundingClientRect();
        return [plot.closest("[role=row]").dataset.row ?? "", left, width];
      }).filter(([, , width]) => width > 0)`)) as [row: string, left: number, width: number][];
      expect(plots.some(([row]) => row.startsWith("span "))).toBe(true);
      expect(new Set(plots.map(([, left, width]) => `${left} ${width}`)).size, JSON.stringify(plots)).toBe(1);
      expect(await smallTargetsOf(page)).toEqual([]);
      expect(errors).toEqual([]);
      await page.close();
    },
  );
});
