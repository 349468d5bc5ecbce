import { type Verdict, VERDICTS } from "./decision.ts";
import { type Interval, wilson } from "./statistics.ts";

export type VerdictCounts = Record<Verdict, number>;

export const countVerdicts = (verdicts: readonly Verdict[]): VerdictCounts =>
  Object.fromEntries(
    VERDICTS.map((verdict) => [verdict, verdicts.filter((other) => other === verdict).length]),
  ) as VerdictCounts;

const WORST_FIRST = ["failed", "errored", "inconclusive", "passed"] as const;

/**
 * One verdict of several: failed beats errored beats inconclusive beats passed; what was not graded has no say.
 * `executionError`: our side or the network ended the simulation, which can only leave it without a verdict.
 */
export function verdictOf(verdicts: readonly Verdict[], { executionError = false } = {}): Verdict {
  const all = executionError ? [...verdicts, "errored" as const] : verdicts;
  return WORST_FIRST.find((verdict) => all.includes(verdict)) ?? "not_graded";
}

/** "3 of 5 behaviors graded". */
export function coverageWords(verdicts: readonly Verdict[]): string {
  const graded = verdicts.filter((verdict) => verdict !== "not_graded").length;
  return `${graded} of ${verdicts.length} ${verdicts.length === 1 ? "behavior" : "behaviors"} graded`;
}

export type RunResult = {
  counts: VerdictCounts;
  /** Of the simulations that passed or failed; null when none did. */
  passRate: (Interval & { share: number; decided: number }) | null;
};

export function runResult(verdicts: readonly Verdict[]): RunResult {
  const counts = countVerdicts(verdicts);
  const decided = counts.passed + counts.failed;
  const interval = wilson(counts.passed, decided);
  return { counts, passRate: interval && { ...interval, share: counts.passed / decided, decided } };
}
