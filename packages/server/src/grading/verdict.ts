import type { Verdict } from "@svc/contract";

const WORST_FIRST = ["failed", "errored", "inconclusive", "passed"] as const;

/** Returns one verdict for several: failed beats errored beats inconclusive beats passed; `not_graded` does not count. */
export const verdictOf = (verdicts: readonly Verdict[]): Verdict =>
  WORST_FIRST.find((verdict) => verdicts.includes(verdict)) ?? "not_graded";
