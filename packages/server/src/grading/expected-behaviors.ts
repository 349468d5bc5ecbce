import type { Check } from "./checks/check.ts";
import { decide } from "./checks/decide.ts";
import { parseCheck } from "./checks/parse-check.ts";
import { type Decision, notGraded } from "./decision.ts";
import type { Evidence } from "./evidence.ts";
import { type Judge, judgeBehavior, type Judgement } from "./judge/judge.ts";
import { readBehavior } from "./read-behavior.ts";

type GradedBehavior = {
  behavior: string;
  by: "check" | "judge" | "none";
  decision: Decision;
  judgement: Judgement | null;
};

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
 * Grades a behavior: by a check when it has one of the forms, otherwise by the judge. Without a judge it is `not_graded`,
 * never passed. A sentence that cannot be read is `not_graded` too.
 */
export async function gradeBehavior(
  behavior: string,
  evidence: Evidence,
  judge: Judge | null,
  seed: string,
): Promise<GradedBehavior> {
  const { problem } = readBehavior(behavior, judge !== null);
  if (problem !== null) return { behavior, by: "none", decision: notGraded(problem), judgement: null };
  const check = parseCheck(behavior);
  const decided = check && decide(check, evidence);
  const isForJudge =
    decided?.verdict === "inconclusive" && evidence.partial === null && READ_FROM_WORDS.has(check!.form);
  if (decided && !(isForJudge && judge)) return { behavior, by: "check", decision: decided, judgement: null };
  if (judge === null) {
    return { behavior, by: "none", decision: notGraded(NO_JUDGE), judgement: null };
  }
  const judgement = await judgeBehavior(behavior, evidence, judge, `${seed} ${behavior}`);
  return { behavior, by: "judge", decision: judgement.decision, judgement };
}
