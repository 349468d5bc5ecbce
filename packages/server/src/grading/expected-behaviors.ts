import { SET_LANGUAGE_MODEL } from "@svc/contract";
import { decide, formOf, parseCheck } from "./checks/table.ts";
import { type Decision, notGraded } from "./decision.ts";
import type { Evidence } from "./evidence.ts";

type CodeDecision = { by: "check" | "none"; decision: Decision };

export const NO_JUDGE = `Needs a judge. ${SET_LANGUAGE_MODEL}, or write it as a check.`;

export function mayNeedJudge(behavior: string): boolean {
  const check = parseCheck(behavior);
  return check === undefined || (check.form !== "unreadable" && formOf(check).judgeCanTell);
}

/**
 * Decides an expected behavior without a language model. Returns null if the judge has to decide: either code does not understand the
 * sentence, or its check of words or tool calls is inconclusive although the conversation is complete.
 */
export function decideByCode(behavior: string, evidence: Evidence, hasJudge: boolean): CodeDecision | null {
  const check = parseCheck(behavior);
  if (check === undefined) return hasJudge ? null : { by: "none", decision: notGraded(NO_JUDGE) };
  if (check.form === "unreadable") return { by: "none", decision: notGraded(check.problem) };
  const decision = decide(check, evidence);
  const isForJudge = decision.verdict === "inconclusive" && evidence.partial === null && formOf(check).judgeCanTell;
  return isForJudge && hasJudge ? null : { by: "check", decision };
}
