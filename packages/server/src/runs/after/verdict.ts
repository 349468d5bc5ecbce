import type { Verdict } from "@svc/contract";
import type { NewGrade, PinnedGrader } from "../../grading/graders/grader.ts";

export type VerdictParts = {
  /** Verdict that follows from the ending alone; undefined when the ending decides nothing. */
  ending: Verdict | undefined;
  /** Verdict on each expected behavior; `not_graded` when no grader that counts graded the behavior. */
  behaviors: readonly Verdict[];
  graders: readonly Verdict[];
  allowUngraded: boolean;
};

const WORST_FIRST = ["failed", "errored", "inconclusive", "passed"] as const;

/**
 * The verdict is `failed` when a part failed, else `errored` when a part is errored, else `passed` when every part
 * passed. A pass also needs at least one passed expected behavior. With `allowUngraded`, undecided parts do not prevent
 * a pass. Otherwise the verdict is `inconclusive` when a part is inconclusive, else `not_graded`.
 */
export function verdictOf({ ending, behaviors, graders, allowUngraded }: VerdictParts): Verdict {
  const all = [...behaviors, ...graders, ...(ending === undefined ? [] : [ending])];
  if (all.includes("failed")) return "failed";
  if (all.includes("errored")) return "errored";
  if (behaviors.includes("passed") && (allowUngraded || all.every((verdict) => verdict === "passed"))) return "passed";
  return all.includes("inconclusive") ? "inconclusive" : "not_graded";
}

export function gradedParts(
  graders: readonly PinnedGrader[],
  grades: readonly NewGrade[],
  behaviorCount: number,
): Pick<VerdictParts, "behaviors" | "graders"> {
  const ofBehaviors = graders.filter(({ definition }) => definition.kind === "expected_behaviors").map(({ id }) => id);
  const counting = grades.filter(({ counts }) => counts);
  const lists = ofBehaviors.map((id) => counting.filter(({ graderVersionId }) => graderVersionId === id));
  return {
    behaviors: Array.from({ length: behaviorCount }, (_, index) =>
      worstOf(lists.flatMap((list) => list[index]?.verdict ?? [])),
    ),
    graders: counting
      .filter(({ graderVersionId }) => !ofBehaviors.includes(graderVersionId))
      .filter(appliesToConversation)
      .map(({ verdict }) => verdict),
  };
}

const worstOf = (verdicts: readonly Verdict[]): Verdict =>
  WORST_FIRST.find((verdict) => verdicts.includes(verdict)) ?? "not_graded";

/**
 * A grader does not apply when its subject does not occur in the conversation. A grader without a decision does apply, for example when the
 * service has no judge.
 */
const appliesToConversation = ({ verdict, decidedBy }: NewGrade): boolean =>
  verdict !== "not_graded" || decidedBy === "none";
