import type { Grade } from "@svc/contract";

/** The judge of a grade. Verdicts of different judges cannot be compared. */
export type DecidingJudge = {
  model: string;
  promptVersion: string;
  /** The form of the requests; null for grades that do not name it. */
  dialect: string | null;
};

type JudgedGrade = Pick<Grade, "decidedBy" | "votes"> & { judge?: DecidingJudge | null };

/**
 * Returns the judge that decided the grade, as the grade or its first vote names it; null when no judge decided it or replied.
 */
export function judgeOf({ decidedBy, votes, judge }: JudgedGrade): DecidingJudge | null {
  if (decidedBy !== "judge") return null;
  const named = judge ?? (votes[0] as Partial<DecidingJudge> | undefined);
  if (named === undefined) return null;
  const { model, promptVersion, dialect } = named;
  return { model: model ?? "unknown", promptVersion: promptVersion ?? "unknown", dialect: dialect ?? null };
}

/** Returns the judge's name for people. */
export const judgeName = ({ model, promptVersion, dialect }: DecidingJudge): string =>
  `${model}, prompt ${promptVersion}${dialect === null ? "" : `, ${dialect} requests`}`;
