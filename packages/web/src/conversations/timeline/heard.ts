import type { Measure } from "@svc/contract";
import { MEASURES, type Unit } from "@svc/contract/constants";
import { formatMs } from "../../ui/format.ts";

type Name = Measure["name"];

/** Measures that the agent reports, each with the one that the caller hears. */
const BESIDE: readonly [reported: Name, heard: Name][] = [
  ["response_latency", "heard_response_latency"],
  ["yield_latency", "heard_yield_latency"],
  ["overlap_ratio", "heard_overlap_ratio"],
  ["talk_ratio", "heard_talk_ratio"],
  ["silence", "heard_silence"],
];

/** A measure from the sound of a call beside the one that the agent reports. */
export type HeardPair = {
  label: string;
  meaning: string;
  unit: Unit;
  heard: Measure;
  reported: Measure;
  /** The mean as heard minus the mean as reported; null when either is unknown. */
  difference: number | null;
};

const isKnown = (measure: Measure | undefined): measure is Measure =>
  measure !== undefined && measure.provenance !== "unavailable";

/** Returns the measures that are heard and have a reported counterpart; the counterpart may be unavailable. */
export function heardPairs(measures: readonly Measure[]): HeardPair[] {
  const named = new Map(measures.map((measure) => [measure.name, measure]));
  const pairs: HeardPair[] = [];
  for (const [reportedName, heardName] of BESIDE) {
    const [reported, heard] = [named.get(reportedName), named.get(heardName)];
    if (reported === undefined || !isKnown(heard)) continue;
    const { label, unit } = MEASURES[reportedName];
    const [before, after] = [isKnown(reported) ? reported.summary.mean : null, heard.summary.mean];
    const difference = before === null || after === null ? null : after - before;
    pairs.push({ label, meaning: MEASURES[heardName].meaning, unit, heard, reported, difference });
  }
  return pairs;
}

/** Returns the measures that no pair shows. */
export function withoutPairs(measures: readonly Measure[], pairs: readonly HeardPair[]): Measure[] {
  const shown = new Set(pairs.flatMap(({ heard, reported }) => [heard.name, reported.name]));
  return measures.filter(({ name }) => !shown.has(name));
}

/** Returns a difference with its sign, such as `+433 ms`; shares are in percentage points. */
export function differenceText(difference: number, unit: Unit): string {
  const size = Math.abs(difference);
  const text = unit === "ms" ? formatMs(size) : `${Math.round(size * 1_000) / 10} pp`;
  return text.startsWith("0 ") ? "±0" : `${difference < 0 ? "−" : "+"}${text}`;
}
