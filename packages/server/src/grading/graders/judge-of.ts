import type { Grade } from "@svc/contract";

/** The judge that decided a grade. Verdicts of different judges cannot be compared. */
export type DecidingJudge = {
  model: string;
  promptVersion: string;
  /** Dialect of the requests to the model; null for a grade that was stored without its dialect. */
  dialect: string | null;
};

type JudgedGrade = Pick<Grade, "decidedBy" | "votes"> & { judge?: DecidingJudge | null };

/** Returns null if no judge decided the grade, or no judge replied. */
export function judgeOf({ decidedBy, votes, judge }: JudgedGrade): DecidingJudge | null {
  if (decidedBy !== "judge") return null;
  const named = judge ?? (votes[0] as Partial<DecidingJudge> | undefined);
  if (named === undefined) return null;
  const { model, promptVersion, dialect } = named;
  return { model: model ?? "unknown", promptVersion: promptVersion ?? "unknown", dialect: dialect ?? null };
}

export const judgeName = ({ model, promptVersion, dialect }: DecidingJudge): string =>
  `${model}, prompt ${promptVersion}${dialect === null ? "" : `, ${dialect} requests`}`;
