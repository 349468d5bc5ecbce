import type { Grade, JudgeIdentity } from "@svc/contract";

/** Returns the judge that decided the grade; null when no judge decided it, or no judge replied. */
export function judgeOf({ judge, votes }: Pick<Grade, "judge" | "votes">): JudgeIdentity | null {
  if (judge !== null) return judge;
  // Old grades name their judge only in the votes, and no dialect.
  const { model, promptVersion } = (votes[0] ?? {}) as { model?: string | null; promptVersion?: string };
  return typeof model === "string" ? { model, promptVersion: promptVersion ?? "unknown", dialect: "full" } : null;
}

/** Returns the judge's name for people. */
export const judgeName = ({ model, promptVersion, dialect }: JudgeIdentity): string =>
  `${model}, prompt ${promptVersion}${dialect === "plain" ? ", plain dialect" : ""}`;
