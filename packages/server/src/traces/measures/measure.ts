import { MEASURES, type MeasureName, type Provenance, type Unit } from "@svc/contract/constants";
import { percentile } from "./percentile.ts";

/** One raw value; stored one row each, so that percentiles can pool them. */
export type Sample = {
  value: number;
  provenance: Exclude<Provenance, "unavailable">;
  turnIndex: number | null;
  atNs: bigint;
};

export type Measure = {
  name: MeasureName;
  unit: Unit;
  provenance: Provenance; // the weakest of the samples'
  reason: string | null; // why it is unavailable
  missing: number; // occasions whose value is not known
  samples: Sample[];
  summary: Summary;
};

type Summary = Record<"sum" | "mean" | "min" | "max" | "p50" | "p95", number | null> & { n: number };

/** What was found for a measure: its samples, or why there are none. */
export type Found = { samples: Sample[]; missing?: number } | { reason: string };

const WEAKER = ["measured", "provider_reported", "approximate"] as const;

export function weakest(provenances: readonly Sample["provenance"][]): Sample["provenance"] {
  return WEAKER[Math.max(0, ...new Set(provenances.map((provenance) => WEAKER.indexOf(provenance))))]!;
}

/** A sample for each occasion, null where it is not known; `never` says that there was no occasion, `unknown` that none is known. */
export function found(occasions: readonly (Sample | null)[], never: string, unknown: string): Found {
  const samples = occasions.filter((sample) => sample !== null);
  if (samples.length === 0) return { reason: occasions.length === 0 ? never : unknown };
  return { samples, missing: occasions.length - samples.length };
}

export function measure(name: MeasureName, result: Found): Measure {
  const { unit } = MEASURES[name];
  if ("reason" in result) {
    const { reason } = result;
    return { name, unit, provenance: "unavailable", reason, missing: 0, samples: [], summary: UNKNOWN };
  }
  const { samples, missing = 0 } = result;
  const provenance = weakest(samples.map((sample) => sample.provenance));
  return { name, unit, provenance, reason: null, missing, samples, summary: summaryOf(samples) };
}

const UNKNOWN: Summary = { n: 0, sum: null, mean: null, min: null, max: null, p50: null, p95: null };

function summaryOf(samples: readonly Sample[]): Summary {
  if (samples.length === 0) return { ...UNKNOWN, sum: 0 };
  const values = samples.map((sample) => sample.value);
  let [sum, min, max] = [0, Infinity, -Infinity];
  for (const value of values) {
    sum += value;
    min = Math.min(min, value);
    max = Math.max(max, value);
  }
  const n = values.length;
  return { n, sum, mean: sum / n, min, max, p50: percentile(values, 50), p95: percentile(values, 95) };
}
