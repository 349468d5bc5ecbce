import type { Check } from "./checks/check.ts";
import { decide } from "./checks/decide.ts";
import { parseCheck } from "./checks/parse-check.ts";
import { type Decision, notGraded } from "./decision.ts";
import type { Evidence } from "./evidence.ts";
import { readBehavior } from "./read-behavior.ts";

export type CodeDecision = { by: "check" | "none"; decision: Decision };

/** These checks read the agent's words, so a judge may decide where the code cannot. */
const READ_FROM_WORDS = new Set<Check["form"]>(["asks_for", "handles_error"]);

export const NO_JUDGE =
  "Needs a judge: set SVC_LLM_BASE_URL, SVC_LLM_API_KEY and SVC_LLM_MODEL, or write it as a check.";

/** Returns whether a judge, when there is one, may have to decide the behavior. */
export function mayNeedJudge(behavior: string): boolean {
  if (readBehavior(behavior, true).problem !== null) return false;
  const check = parseCheck(behavior);
  return check === undefined || READ_FROM_WORDS.has(check.form);
}

/**
 * Decides a behavior by a check when it has one of the forms; returns null when the judge has to decide it. Without a judge
 * the other behaviors are `not_graded`, never passed. A sentence that cannot be read is `not_graded` too.
 */
export function decideByCode(behavior: string, evidence: Evidence, hasJudge: boolean): CodeDecision | null {
  const { problem } = readBehavior(behavior, hasJudge);
  if (problem !== null) return { by: "none", decision: notGraded(problem) };
  const check = parseCheck(behavior);
  if (check === undefined) return hasJudge ? null : { by: "none", decision: notGraded(NO_JUDGE) };
  const decision = decide(check, evidence);
  const isForJudge =
    decision.verdict === "inconclusive" && evidence.partial === null && READ_FROM_WORDS.has(check.form);
  return isForJudge && hasJudge ? null : { by: "check", decision };
}
