import type { SuccessConditions } from "../success-conditions.ts";
import type { Broken, Check } from "./check.ts";
import { formOf } from "./table.ts";
import { successWords } from "./wanted-call.ts";

/**
 * Returns a check in one sentence, with the conditions by which its tools succeed, or the problem of a sentence that cannot be
 * read.
 */
export function readingOf(check: Check | Broken, succeedsWhen?: SuccessConditions): string {
  if (check.form === "unreadable") return check.problem;
  const { echo, successOf } = formOf(check);
  const tools = [...new Set(successOf?.(check))];
  const conditions = tools.flatMap((tool) => {
    const condition = succeedsWhen?.get(tool);
    return condition === undefined ? [] : successWords(tool, condition);
  });
  return conditions.length === 0 ? echo(check) : `${echo(check).replace(/\.$/, "")}${conditions.join("")}.`;
}
