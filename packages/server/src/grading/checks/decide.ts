import { type Decision, notGraded } from "../decision.ts";
import type { Evidence } from "../evidence.ts";
import type { Broken, Check } from "./check.ts";
import { formOf } from "./table.ts";

/**
 * Decides a check on the evidence of a conversation. Missing evidence, such as an unavailable measure, withheld text or an
 * end that the agent did not cause, leaves it inconclusive. Never throws.
 */
export const decide = (check: Check | Broken, evidence: Evidence): Decision =>
  check.form === "unreadable"
    ? notGraded(`The behavior cannot be read: ${check.problem}`)
    : formOf(check).decide(check, evidence);
