import type { AlertInterval, AlertRuleContent, WatchedStatistic } from "@svc/contract";
import { watchedWords } from "@svc/contract/constants";
import { wilson } from "../grading/statistics/statistics.ts";
import type { Spread } from "../traces/store/trace-store.ts";
import { quantileOfT } from "./usual.ts";

type Value = { value: number | null; samples: number };

const Z_95 = 1.96;

const TAIL = 0.025;

/**
 * Returns the ranks of the samples that bound a percentile with a confidence of at least 95 percent, whatever the distribution of the
 * samples is: the number of samples below a percentile is binomial (Conover 1999). A rank outside the samples is no bound.
 */
export function ranksAround(statistic: WatchedStatistic, samples: number): [low: number, high: number] {
  const share = statistic === "mean" ? 0.5 : Number(statistic.slice(1)) / 100;
  let [low, atMost, logChoices] = [0, 0, 0];
  for (let below = 0; below < samples; below++) {
    if (below > 0) logChoices += Math.log(samples - below + 1) - Math.log(below);
    atMost += Math.exp(logChoices + below * Math.log(share) + (samples - below) * Math.log(1 - share));
    if (atMost <= TAIL) low = below + 1;
    if (atMost >= 1 - TAIL) return [low, below + 1];
  }
  return [low, samples + 1];
}

/** Returns the 95 percent interval of a statistic of a measure. */
export function intervalOfMeasure(
  statistic: WatchedStatistic,
  { value, samples }: Value,
  { low, high, deviation }: Spread,
): AlertInterval | null {
  if (value === null) return null;
  if (statistic !== "mean") return low === null && high === null ? null : { low, high };
  if (deviation === null) return null;
  const half = (quantileOfT(Z_95, samples - 1) * deviation) / Math.sqrt(samples);
  return { low: value - half, high: value + half };
}

/** Returns the 95 percent interval of a share; null for a number. */
export const intervalOfShare = (
  { watch }: Pick<AlertRuleContent, "watch">,
  { value, samples }: Value,
): AlertInterval | null =>
  value === null || watchedWords(watch).unit !== "ratio" ? null : wilson(Math.round(value * samples), samples);
