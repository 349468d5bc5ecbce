import type { Verdict } from "@svc/contract";
import { type Tally, tallyOf } from "../grading/statistics/pass-rates.ts";
import type { RunRow } from "./rules.ts";

/** Number of simulations of one test version in one run with the same verdict. `verdict` is null without a final verdict. */
export type VerdictCount = { testId: string; testVersionId: string; verdict: Verdict | null; count: number };

/** Run, and the numbers of its simulations by test version and verdict. */
export type RunWithVerdicts = { run: RunRow; verdicts: VerdictCount[] };

/** Returns the tally of the final verdicts. Omits simulations without a final verdict. */
export const tallyOfCounts = (counts: readonly VerdictCount[]): Tally =>
  tallyOf(
    counts.flatMap(({ verdict, count }) => (verdict === null ? [] : Array.from({ length: count }, () => verdict))),
  );

/** Returns the tally of each test. */
export const testTallies = (counts: readonly VerdictCount[]): Tally[] =>
  [...Map.groupBy(counts, ({ testId }) => testId).values()].map(tallyOfCounts);
