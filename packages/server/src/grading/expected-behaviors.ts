import { decide } from "./checks/decide.ts";
import { parseCheck } from "./checks/parse-check.ts";
import { formOf } from "./checks/table.ts";
import { type Decision, notGraded } from "./decision.ts";
import type { Evidence } from "./evidence.ts";
import { type Judge, judgeBehavior, type Judgement } from "./judge/judge.ts";

type GradedBehavior = {
  behavior: string;
  by: "check" | "judge" | "none";
  decision: Decision;
  judgement: Judgement | null;
};

export const NO_JUDGE =
  "Needs a judge: set SVC_LLM_BASE_URL, SVC_LLM_API_KEY and SVC_LLM_MODEL, or write it as a check.";

/** Returns whether a judge, when there is one, may have to decide the behavior. */
export function mayNeedJudge(behavior: string): boolean {
  const check = parseCheck(behavior);
  return check === undefined || (check.form !== "unreadable" && formOf(check).judgeCanTell);
}

/**
 * Grades a behavior: by a check when it has one of the forms, otherwise by the judge. A judge also decides where a check of
 * words or tool calls is inconclusive on a whole conversation. Without a judge the behavior is `not_graded`, never passed.
 */
export async function gradeBehavior(
  behavior: string,
  evidence: Evidence,
  judge: Judge | null,
  seed: string,
): Promise<GradedBehavior> {
  const check = parseCheck(behavior);
  if (check?.form === "unreadable")
    return { behavior, by: "none", decision: notGraded(check.problem), judgement: null };
  const decided = check && decide(check, evidence);
  const isForJudge = decided?.verdict === "inconclusive" && evidence.partial === null && formOf(check!).judgeCanTell;
  if (decided && !(isForJudge && judge)) return { behavior, by: "check", decision: decided, judgement: null };
  if (judge === null) {
    return { behavior, by: "none", decision: notGraded(NO_JUDGE), judgement: null };
  }
  const judgement = await judgeBehavior(behavior, evidence, judge, `${seed} ${behavior}`);
  return { behavior, by: "judge", decision: judgement.decision, judgement };
}
