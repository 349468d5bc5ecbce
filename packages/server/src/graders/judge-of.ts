import type { Grade } from "@svc/contract";

/** The judge of a grade. Verdicts of different judges cannot be compared. */
export type JudgeIdentity = { model: string; promptVersion: string };

/** Returns the judge that decided the grade, as its votes name it; null for a grade that no judge decided. */
export function judgeOf({ decidedBy, votes }: Pick<Grade, "decidedBy" | "votes">): JudgeIdentity | null {
  if (decidedBy !== "judge") return null;
  const { model, promptVersion } = (votes[0] ?? {}) as Partial<JudgeIdentity>;
  return { model: model ?? "unknown", promptVersion: promptVersion ?? "unknown" };
}

/** Returns the judge's name for people. */
export const judgeName = ({ model, promptVersion }: JudgeIdentity): string => `${model}, prompt ${promptVersion}`;
