import type { Grade } from "@svc/contract";

/** The judge of a grade. Verdicts of different judges cannot be compared. */
export type DecidingJudge = {
  model: string;
  promptVersion: string;
  /** The form of the requests; null for grades that do not name it. */
  dialect: string | null;
};

type JudgedGrade = Pick<Grade, "decidedBy" | "votes"> & { judge?: DecidingJudge | null };

/** Returns the judge that decided the grade, from its identity or its votes; null for a grade that no judge decided. */
export function judgeOf({ decidedBy, votes, judge }: JudgedGrade): DecidingJudge | null {
  if (decidedBy !== "judge") return null;
  const { model, promptVersion, dialect } = judge ?? ((votes[0] ?? {}) as Partial<DecidingJudge>);
  return { model: model ?? "unknown", promptVersion: promptVersion ?? "unknown", dialect: dialect ?? null };
}

/** Returns the judge's name for people. */
export const judgeName = ({ model, promptVersion, dialect }: DecidingJudge): string =>
  `${model}, prompt ${promptVersion}${dialect === null ? "" : `, ${dialect} requests`}`;
