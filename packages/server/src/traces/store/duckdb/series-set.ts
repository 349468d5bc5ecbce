import type { Channel, MeasureName } from "@svc/contract/constants";
import type { SampleSums } from "../../measures/pooled-samples.ts";

export type SeriesName = {
  source: "production" | "simulation";
  agent: string | null;
  /** Undefined: all versions. */
  version?: string | null | undefined;
  /** Undefined: all channels. */
  channel?: Channel | null | undefined;
  measure: MeasureName;
};

/** `places` has three numbers for each sorted run of samples, as in `SortedRuns`: its list, its start and its end. */
export type Bucket = SampleSums & { startMs: number; places: number[] };

/** The buckets are in the order of time. */
export type Series = SeriesName & { buckets: Bucket[] };

type SeriesSet = {
  /** Adds the bucket if it is missing. */
  bucketsOf: (name: SeriesName) => (startMs: number) => Bucket;
  count: () => number;
  list: () => Series[];
};

export function createSeriesSet(): SeriesSet {
  const all = new Map<string, { name: SeriesName; buckets: Map<number, Bucket> }>();

  function bucketsOf(name: SeriesName): (startMs: number) => Bucket {
    const key = JSON.stringify([name.source, name.agent, name.version, name.channel, name.measure]);
    const series = all.get(key) ?? { name, buckets: new Map<number, Bucket>() };
    all.set(key, series);
    return (startMs) => {
      const known = series.buckets.get(startMs);
      if (known !== undefined) return known;
      const bucket = { startMs, samples: 0, total: 0, provenances: 0, places: [] };
      series.buckets.set(startMs, bucket);
      return bucket;
    };
  }

  const filled = () => [...all.values()].filter(({ buckets }) => buckets.size > 0);

  return {
    bucketsOf,
    count: () => filled().reduce((sum, { buckets }) => sum + buckets.size, 0),
    list: () =>
      filled().map(({ name, buckets }) => ({
        ...name,
        buckets: [...buckets.values()].sort((a, b) => a.startMs - b.startMs),
      })),
  };
}

export function addSums(bucket: SampleSums, samples: number, total: number, provenances: number): void {
  bucket.samples += samples;
  bucket.total += total;
  bucket.provenances |= provenances;
}
