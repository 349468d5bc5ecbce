import type { Page } from "playwright-core";

/** The verbs in the names of controls that change something in the service. */
const WRITES =
  /^(Accept|Acknowledge|Add|Archive|Calibrate|Cancel|Change|Create|Delete|Discard|Disable|Duplicate|Edit|Enable|End|Import|Invite|Label|Make|Move|Mute|New|Pause|Play(?!$| from | a sentence)|Remove|Rename|Replay|Replace|Reseal|Restore|Resume|Revoke|Right$|Run(?! it in CI)|Save|Send|Set|Should have|Start|Store|Try|Turn o|Withdraw)\b/;

/** Returns the controls in the page's content that change something, including those in menus. */
export async function openWriteControls(page: Page): Promise<string[]> {
  const controls: string[] = await visibleNames(page, "header, main");
  for (const trigger of await page.locator("header, main").locator("button[aria-haspopup=menu]:visible").all()) {
    await trigger.click();
    controls.push(...(await visibleNames(page, "[role=menu]")));
    await page.keyboard.press("Escape");
  }
  return controls.filter((name) => WRITES.test(name) || name.startsWith("field "));
}

/** Returns the names of the controls inside the selected elements. The names of text fields begin with "field ". */
const visibleNames = (page: Page, selector: string): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll(${JSON.stringify(selector)})].flatMap((part) =>
    [...part.querySelectorAll("button, a[href$='/new'], a[href*='/new?'], a[href$='/setup'], [role=menuitem], [role=switch], textarea, input[type=text], input:not([type])")]
      .filter((control) => control.checkVisibility() && !control.disabled && !control.readOnly)
      .map((control) => {
        const name = (control.ariaLabel ?? control.labels?.[0]?.textContent ?? control.textContent ?? "").trim();
        return control.matches("textarea, input") && control.type !== "search" ? "field " + name : name;
      }))`) as Promise<string[]>;
