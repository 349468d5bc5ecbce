import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults, RunOptions } from "axe-core";
import type { BrowserContext, Page } from "playwright-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const LEVELS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa"];
/** The only accessibility rules whose result depends on the theme. */
const COLOUR_RULES = ["color-contrast", "link-in-text-block"];

/** Loads the accessibility checks into every page of a context. */
export async function addInspection(context: BrowserContext): Promise<void> {
  await context.addInitScript({ content: AXE });
}

/** Returns the violations of WCAG 2.0 to 2.2, levels A and AA, one line for each rule with its first element. */
export async function violationsOf(page: Page, only: "colours" | "everything" = "everything"): Promise<string[]> {
  const options: RunOptions = {
    runOnly: only === "colours" ? { type: "rule", values: COLOUR_RULES } : { type: "tag", values: LEVELS },
    resultTypes: ["violations"],
  };
  const found = (await page.evaluate(`axe.run(document, ${JSON.stringify(options)})`)) as AxeResults;
  return found.violations.map(({ id, help, nodes }) => {
    const { target, any, html } = nodes[0]!;
    return `${id} (${nodes.length}): ${help}: ${target.join(" ")} ${any[0]?.message ?? ""} ${html.slice(0, 200)}`;
  });
}

/** Returns the elements that are wider than the screen, as one line. Returns nothing when the page does not scroll sideways. */
export async function sidewaysScrollOf(page: Page): Promise<string[]> {
  const widest = (await page.evaluate(`(() => {
    const { scrollWidth, clientWidth } = document.scrollingElement;
    if (scrollWidth <= clientWidth) return null;
    const clips = (element) => {
      for (let at = element.parentElement; at !== null && at !== document.body; at = at.parentElement)
        if (getComputedStyle(at).overflowX !== "visible") return true;
      return false;
    };
    const wide = [...document.body.querySelectorAll("*")]
      .filter((element) => element.getBoundingClientRect().right > clientWidth + 1 && !clips(element))
      .toSorted((a, b) => b.getBoundingClientRect().right - a.getBoundingClientRect().right);
    return scrollWidth + " px: " + wide.slice(0, 3).map((element) =>
      element.tagName.toLowerCase() + "." + element.className + " " + (element.textContent ?? "").slice(0, 40)).join("; ");
  })()`)) as string | null;
  return widest === null ? [] : [`the page scrolls sideways, ${widest}`];
}

/** Returns the headings and controls in the head of the page that are covered by another element or outside the screen. */
export async function coveredHeadsOf(page: Page): Promise<string[]> {
  return (await page.evaluate(`(() => {
    scrollTo(0, 0);
    if (document.querySelector("dialog[open]") !== null) return [];
    const parts = [...document.querySelectorAll("header")].filter((head) => head.closest("main") === null)
      .flatMap((head) => [...head.querySelectorAll("h1, button, a, [role=switch]")]);
    return parts.filter((part) => {
      const { left, top, width, height } = part.getBoundingClientRect();
      if (width === 0 || height === 0) return false;
      const x = left + Math.min(width, 60) / 2, y = top + height / 2;
      const hit = document.elementFromPoint(x, y);
      return hit === null || !(part.contains(hit) || hit.contains(part));
    }).map((part) => "the head is covered: " + part.tagName.toLowerCase() + " " + (part.textContent || part.ariaLabel || "").slice(0, 40));
  })()`)) as string[];
}
