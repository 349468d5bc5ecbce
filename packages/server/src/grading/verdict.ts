import type { Verdict } from "@svc/contract";

const WORST_FIRST = ["failed", "errored", "inconclusive", "passed"] as const;

/** One verdict of several: failed beats errored beats inconclusive beats passed; what was not graded has no say. */
export const verdictOf = (verdicts: readonly Verdict[]): Verdict =>
  WORST_FIRST.find((verdict) => verdicts.includes(verdict)) ?? "not_graded";
