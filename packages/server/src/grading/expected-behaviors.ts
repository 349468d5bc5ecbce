import { decide, formOf, parseCheck } from "./checks/table.ts";
import { type Decision, notGraded } from "./decision.ts";
import type { Evidence } from "./evidence.ts";

type CodeDecision = { by: "check" | "none"; decision: Decision };

export const NO_JUDGE =
  "Needs a judge: set SVC_LLM_BASE_URL, SVC_LLM_API_KEY and SVC_LLM_MODEL, or write it as a check.";

/** Returns whether the behavior may need the decision of a judge. */
export function mayNeedJudge(behavior: string): boolean {
  const check = parseCheck(behavior);
  return check === undefined || (check.form !== "unreadable" && formOf(check).judgeCanTell);
}

/**
 * Decides a behavior by a check if its sentence has one of the forms. Returns null if the judge has to decide the behavior: because the
 * sentence has no form, or because a check of words or tool calls is inconclusive on a complete conversation. Without a judge, a behavior
 * whose sentence has no form is `not_graded`, never passed.
 */
export function decideByCode(behavior: string, evidence: Evidence, hasJudge: boolean): CodeDecision | null {
  const check = parseCheck(behavior);
  if (check === undefined) return hasJudge ? null : { by: "none", decision: notGraded(NO_JUDGE) };
  if (check.form === "unreadable") return { by: "none", decision: notGraded(check.problem) };
  const decision = decide(check, evidence);
  const isForJudge = decision.verdict === "inconclusive" && evidence.partial === null && formOf(check).judgeCanTell;
  return isForJudge && hasJudge ? null : { by: "check", decision };
}
