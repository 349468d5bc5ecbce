import type { Check } from "./checks/check.ts";
import { decide } from "./checks/decide.ts";
import { parseCheck } from "./checks/parse-check.ts";
import { type Decision, notGraded } from "./decision.ts";
import type { Evidence } from "./evidence.ts";
import { type Judge, judgeBehavior, type Judgement } from "./judge/judge.ts";

type GradedBehavior = {
  behavior: string;
  by: "check" | "judge" | "none";
  decision: Decision;
  judgement: Judgement | null;
};

/** These are read from words, so that what code cannot tell a judge may. */
const OF_WORDS = new Set<Check["form"]>(["asks_for", "handles_error"]);

export const NO_JUDGE =
  "Needs a judge: set SVC_LLM_BASE_URL, SVC_LLM_API_KEY and SVC_LLM_MODEL, or write it as a check.";

/** Whether a judge may be asked about the behavior, when there is one. */
export function mayNeedJudge(behavior: string): boolean {
  const check = parseCheck(behavior);
  return check === undefined || OF_WORDS.has(check.form);
}

/** By code where the behavior has a form for it, else by the judge; without one it is not graded, and never passed. */
export async function gradeBehavior(
  behavior: string,
  evidence: Evidence,
  judge: Judge | null,
  seed: string,
): Promise<GradedBehavior> {
  const check = parseCheck(behavior);
  const decided = check && decide(check, evidence);
  const isLeft = decided?.verdict === "inconclusive" && evidence.partial === null && OF_WORDS.has(check!.form);
  if (decided && !(isLeft && judge)) return { behavior, by: "check", decision: decided, judgement: null };
  if (judge === null) {
    return { behavior, by: "none", decision: notGraded(NO_JUDGE), judgement: null };
  }
  const judgement = await judgeBehavior(behavior, evidence, judge, `${seed} ${behavior}`);
  return { behavior, by: "judge", decision: judgement.decision, judgement };
}
