import type { Measure } from "@svc/contract";
import { HEARD_SILENCE_MS, MEASURES, SILENCE_MS, type Unit } from "@svc/contract/constants";
import { formatCount, formatMs } from "../../ui/format.ts";

/** Pairs of a measure that the agent reports, and the same measure taken from the sound of the call. */
const BESIDE: readonly [reported: Name, heard: Name][] = [
  ["response_latency", "heard_response_latency"],
  ["yield_latency", "heard_yield_latency"],
  ["overlap_ratio", "heard_overlap_ratio"],
  ["talk_ratio", "heard_talk_ratio"],
  ["silence", "heard_silence"],
];

type Name = Measure["name"];

export type HeardPair = {
  label: string;
  meaning: string;
  unit: Unit;
  heard: Measure;
  reported: Measure;
  /** Mean of the heard measure minus mean of the reported measure; null if either mean is unknown. */
  difference: number | null;
};

const isKnown = (measure: Measure | undefined): measure is Measure =>
  measure !== undefined && measure.provenance !== "unavailable";

/** The reported measure may be unavailable. */
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

export function withoutPairs(measures: readonly Measure[], pairs: readonly HeardPair[]): Measure[] {
  const shown = new Set(pairs.flatMap(({ heard, reported }) => [heard.name, reported.name]));
  return measures.filter(({ name }) => !shown.has(name));
}

/** Differences of shares are in percentage points. */
export function differenceText(difference: number, unit: Unit): string {
  const size = Math.abs(difference);
  const text = unit === "ms" ? formatMs(size) : `${Math.round(size * 1_000) / 10} pp`;
  return text.startsWith("0 ") ? "±0" : `${difference < 0 ? "−" : "+"}${text}`;
}

const percentText = (share: number): string => `${Math.round(share * 1_000) / 10}%`;

export function valueOf(value: number, unit: Unit): string {
  if (unit === "ms") return formatMs(value);
  if (unit === "ratio") return percentText(value);
  if (unit === "words/min") return `${Math.round(value)} wpm`;
  if (unit === "dBFS") return `${value.toFixed(1)} dBFS`;
  return formatCount(Math.round(value * 10) / 10);
}

type MeasureText = { label: string; meaning: string; value: string; detail: string | null };

/** The value of counts and tokens is a sum; any other value is a mean. */
export function measureText({ name, unit, provenance, reason, missing, summary }: Measure): MeasureText {
  const { label, meaning } = MEASURES[name];
  const { n, sum, mean, min, max } = summary;
  const add = (text: string) => (missing === 0 ? text : `${text} · ${formatCount(missing)} unknown`);
  if (provenance === "unavailable") return { label, meaning, value: "–", detail: reason };
  const shortestMs = name === "silence" ? SILENCE_MS : name === "heard_silence" ? HEARD_SILENCE_MS : null;
  if (shortestMs !== null && n === 0)
    return { label, meaning, value: "0", detail: `none of ${shortestMs / 1_000} s or more` };
  if (unit === "count" || unit === "tokens") {
    if (sum === null)
      return { label, meaning, value: mean === null ? "–" : valueOf(mean, unit), detail: add(`mean of ${n}`) };
    return {
      label,
      meaning,
      value: valueOf(sum, unit),
      detail: n > 1 || missing > 0 ? add(`of ${formatCount(n)}`) : null,
    };
  }
  const isRange = n > 1 && min !== null && max !== null;
  const range = isRange ? add(`${valueOf(min, unit)} to ${valueOf(max, unit)} · n ${formatCount(n)}`) : null;
  const middle = mean ?? summary.p50;
  return {
    label,
    meaning,
    value: middle === null ? "–" : valueOf(middle, unit),
    detail: range ?? (missing > 0 ? add(`n ${n}`) : null),
  };
}
