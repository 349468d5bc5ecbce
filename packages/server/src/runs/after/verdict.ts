import type { Verdict } from "@svc/contract";
import type { NewGrade, PinnedGrader } from "../../grading/graders/grader.ts";

/** The verdicts from which a simulation's verdict follows. */
export type VerdictParts = {
  /** The verdict that the ending decides by itself. */
  ending: Verdict | undefined;
  /** The verdict on each expected behavior; `not_graded` when no grader that counts looked at it. */
  behaviors: readonly Verdict[];
  /** The verdicts of the other graders that count and apply to the conversation. */
  graders: readonly Verdict[];
  allowUngraded: boolean;
};

const WORST_FIRST = ["failed", "errored", "inconclusive", "passed"] as const;

/**
 * Returns a simulation's verdict: `failed` when a part failed, else `errored` when one is errored, else `passed` when every part
 * passed. With `allowUngraded`, parts without a decision do not prevent a pass. No simulation passes without an expected
 * behavior that passed.
 */
export function verdictOf({ ending, behaviors, graders, allowUngraded }: VerdictParts): Verdict {
  const all = [...behaviors, ...graders, ...(ending === undefined ? [] : [ending])];
  if (all.includes("failed")) return "failed";
  if (all.includes("errored")) return "errored";
  if (behaviors.includes("passed") && (allowUngraded || all.every((verdict) => verdict === "passed"))) return "passed";
  return all.includes("inconclusive") ? "inconclusive" : "not_graded";
}

/** Returns the parts of a verdict that grades decide. */
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

/** A grader whose subject does not occur does not apply. A grader that nothing could decide, such as without a judge, does. */
const appliesToConversation = ({ verdict, decidedBy }: NewGrade): boolean =>
  verdict !== "not_graded" || decidedBy === "none";
