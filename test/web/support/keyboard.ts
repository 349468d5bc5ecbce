import type { Page } from "playwright-core";

const STOPS_MAX = 60;

/** Presses Tab until the control with this name has the focus. Throws when Tab reaches no control with this name. */
export async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  const seen: string[] = [];
  for (let stop = 0; stop < STOPS_MAX; stop++) {
    if (stop > 0) await page.keyboard.press("Tab");
    const focused = (await page.evaluate(`(() => {
      const element = document.activeElement;
      if (element === document.body) return { name: "", isSeen: true };
      const label = element.getAttribute("aria-label") ??
        document.getElementById(element.getAttribute("aria-labelledby") ?? "")?.textContent ??
        element.labels?.[0]?.textContent ?? element.textContent ?? "";
      return { name: label.trim(), isSeen: element.matches(":focus-visible") };
    })()`)) as { name: string; isSeen: boolean };
    if (stop > 0 && !focused.isSeen && focused.name !== "")
      throw new Error(`"${focused.name}" has the focus and does not show it.`);
    if (typeof name === "string" ? focused.name === name : name.test(focused.name)) return;
    seen.push(focused.name.slice(0, 30));
  }
  throw new Error(`Tab does not reach "${String(name)}". It reaches: ${seen.join(", ")}`);
}
