import {
  isHeardMeasure,
  MEASURES,
  type MeasureName,
  type Provenance,
  SAMPLE_PROVENANCES,
  type Unit,
} from "@svc/contract/constants";
import type { ReportedValues } from "../vocabulary/vocabulary.ts";
import { percentile } from "./percentile.ts";

/** The store has a row for each sample, so that percentiles over many conversations use raw values. */
export type Sample = {
  value: number;
  provenance: Exclude<Provenance, "unavailable">;
  turnIndex: number | null;
  atNs: bigint;
};

export type Measure = {
  name: MeasureName;
  unit: Unit;
  provenance: Provenance;
  reason: string | null; // why the measure has no value
  missing: number;
  samples: Sample[];
  summary: Summary;
};

type Summary = Record<"sum" | "mean" | "min" | "max" | "p50" | "p95", number | null> & { n: number };

/** `missing` is the number of occasions, such as answers, whose value is unknown. */
export type MeasureResult =
  | { samples: Sample[]; missing?: number }
  | { reported: ReportedValues["reported"] }
  | { reason: string; missing?: number };

export function weakest(
  provenances: readonly Sample["provenance"][],
  ofEmpty: Sample["provenance"] = "measured",
): Sample["provenance"] {
  let rank = -1;
  for (const provenance of provenances) rank = Math.max(rank, SAMPLE_PROVENANCES.indexOf(provenance));
  return SAMPLE_PROVENANCES[rank] ?? ofEmpty;
}

/**
 * An occasion is an event that the measure counts, such as an answer; its entry in `occasions` is null if the value is
 * unknown. If no sample is known, the reason is `noOccasion` for an empty list, else `noValue`.
 */
export function resultOf(occasions: readonly (Sample | null)[], noOccasion: string, noValue: string): MeasureResult {
  const samples = occasions.filter((sample) => sample !== null);
  if (samples.length === 0) return { reason: occasions.length === 0 ? noOccasion : noValue, missing: occasions.length };
  return { samples, missing: occasions.length - samples.length };
}

export function createMeasure(name: MeasureName, result: MeasureResult): Measure {
  const { unit } = MEASURES[name];
  if ("reason" in result) {
    const { reason, missing = 0 } = result;
    return { name, unit, provenance: "unavailable", reason, missing, samples: [], summary: EMPTY_SUMMARY };
  }
  if ("reported" in result) {
    const { n, min, max, p50, p95 } = result.reported;
    const summary = { ...EMPTY_SUMMARY, n: n ?? 0, min, max, p50, p95 };
    return { name, unit, provenance: "provider_reported", reason: null, missing: n ?? 0, samples: [], summary };
  }
  const { samples, missing = 0 } = result;
  const ofEmpty = isHeardMeasure(name) ? "heard" : "measured";
  const provenance = weakest(
    samples.map((sample) => sample.provenance),
    ofEmpty,
  );
  return { name, unit, provenance, reason: null, missing, samples, summary: summaryOf(samples) };
}

const EMPTY_SUMMARY: Summary = { n: 0, sum: null, mean: null, min: null, max: null, p50: null, p95: null };

function summaryOf(samples: readonly Sample[]): Summary {
  if (samples.length === 0) return { ...EMPTY_SUMMARY, sum: 0 };
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
