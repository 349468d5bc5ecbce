import type { Broken, Check } from "./check.ts";
import { formOf } from "./table.ts";

/** Returns a check in one sentence, or the problem of a sentence that cannot be read. */
export const readingOf = (check: Check | Broken): string =>
  check.form === "unreadable" ? check.problem : formOf(check).echo(check);
