import { minimumSampleCount } from "./percentile.ts";
import { selectRanks, type SortedRuns } from "./sorted-runs.ts";

const PERCENTILES = [50, 90, 95];

/** `provenances` has a bit for each provenance of the samples. */
export type SampleSums = { samples: number; total: number; provenances: number };

/** A percentile is null if it has too few samples. */
export type PooledStatistics = {
  samples: number;
  mean: number;
  p50: number | null;
  p90: number | null;
  p95: number | null;
  provenances: number;
};

export function statisticsOf({ samples, total, provenances }: SampleSums, runs: SortedRuns): PooledStatistics {
  const shown = PERCENTILES.filter((p) => samples >= minimumSampleCount(p));
  const [p50 = null, p90 = null, p95 = null] = selectRanks(
    runs,
    shown.map((p) => Math.ceil((samples * p) / 100) - 1),
  );
  // Without rounding, the mean would depend on the order of the samples.
  return { samples, mean: Math.round((total / samples) * 1e6) / 1e6, p50, p90, p95, provenances };
}

export const addedSums = (sums: readonly SampleSums[]): SampleSums =>
  sums.reduce((one, other) => ({
    samples: one.samples + other.samples,
    total: one.total + other.total,
    provenances: one.provenances | other.provenances,
  }));
