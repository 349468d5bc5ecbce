import type { Broken, Check } from "./check.ts";
import { predicateOf } from "./grammar/predicate.ts";
import { FORMS } from "./table.ts";

/**
 * Returns the check that a behavior in one of the forms describes; undefined for any other sentence, which the judge
 * decides. The form must read the whole sentence. Never throws.
 */
export function parseCheck(behavior: string): Check | Broken | undefined {
  const predicate = predicateOf(behavior);
  let broken: Broken | undefined;
  for (const form of FORMS) {
    const check = form.read(predicate);
    if (check !== undefined && check.form !== "unreadable") return check;
    broken ??= check;
  }
  return broken;
}
