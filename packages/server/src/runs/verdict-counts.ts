import type { Verdict } from "@svc/contract";
import { type Tally, tallyOf } from "../grading/statistics/pass-rates.ts";
import type { RunRow } from "./rules.ts";

export type VerdictCount = { testId: string; testVersionId: string; verdict: Verdict | null; count: number };

export type RunWithVerdicts = { run: RunRow; verdicts: VerdictCount[] };

export const tallyOfCounts = (counts: readonly VerdictCount[]): Tally =>
  tallyOf(
    counts.flatMap(({ verdict, count }) => (verdict === null ? [] : Array.from({ length: count }, () => verdict))),
  );

export const testTallies = (counts: readonly VerdictCount[]): Tally[] =>
  [...Map.groupBy(counts, ({ testId }) => testId).values()].map(tallyOfCounts);
