import type { AlertRuleContent } from "@svc/contract";
import { watchedWords } from "@svc/contract/constants";
import { leastNoticedMs } from "../grading/statistics/compare.ts";
import { isNumber, type Period, type WindowValue, windowMsOf } from "./windows.ts";

type UsualCondition = Extract<AlertRuleContent["condition"], { usual: unknown }>;

/** Usual value of a window: the median of the windows with which it is compared. `limit` is the value beyond which the window is bad. */
export type UsualOf = { usual: number; limit: number };

export const COMPARED_MIN = 8;

const WINDOWS_BEFORE = 24;
const AROUND_MS = 2 * 3_600_000;
const WEEK_MS = 7 * 24 * 3_600_000;
const WEEKS = [1, 2, 3, 4];

export function comparedPeriods(content: AlertRuleContent, { fromMs, toMs }: Period): Period[] {
  if ("value" in content.condition) return [];
  const windowMs = windowMsOf(content);
  if (content.condition.usual === "windows_before")
    return [{ fromMs: fromMs - WINDOWS_BEFORE * windowMs, toMs: fromMs }];
  const aroundMs = Math.floor(AROUND_MS / windowMs) * windowMs;
  return WEEKS.map((weeks) => ({
    fromMs: fromMs - weeks * WEEK_MS - aroundMs,
    toMs: Math.min(fromMs, toMs - weeks * WEEK_MS + aroundMs),
  }));
}

/**
 * Returns the usual value and the limit of the window that starts at `startMs`; null when fewer than `COMPARED_MIN` windows are known for
 * the comparison. The spread is winsorized: the lowest and the highest sixth of the values are replaced by the nearest other value, so that
 * a few bad windows change little (Tukey and McLaughlin 1963).
 */
export function usualOf(
  content: AlertRuleContent & { condition: UsualCondition },
  windows: ReadonlyMap<number, WindowValue>,
  startMs: number,
): UsualOf | null {
  const { is, confidence } = content.condition;
  const compared = comparedWindows(content, windows, startMs);
  if (compared.length < COMPARED_MIN) return null;
  const samples = Math.max(windows.get(startMs)?.samples ?? 0, content.minSamples);
  const scale = scaleOf(content);
  const usual = medianOf(compared.map(({ value }) => value).sort(ascending));
  const scaled = compared.map((window) => scale.to(window.value, window.samples)).sort(ascending);
  const spread = Math.max(spreadOf(scaled), scale.leastSpread(samples));
  const margin =
    quantileOfT(Z[confidence], SPREAD_WORTH * scaled.length) * spread * Math.sqrt(1 + Math.PI / (2 * scaled.length));
  const least = leastDifference(content, usual);
  return is === "above"
    ? { usual, limit: Math.max(scale.from(medianOf(scaled) + margin, samples), usual + least) }
    : { usual, limit: Math.min(scale.from(medianOf(scaled) - margin, samples), usual - least) };
}

type KnownWindow = { value: number; samples: number };

function comparedWindows(
  content: AlertRuleContent,
  windows: ReadonlyMap<number, WindowValue>,
  startMs: number,
): KnownWindow[] {
  const windowMs = windowMsOf(content);
  const isCount = isNumber(content);
  return comparedPeriods(content, { fromMs: startMs, toMs: startMs + windowMs }).flatMap(({ fromMs, toMs }) => {
    const known: KnownWindow[] = [];
    for (let atMs = fromMs; atMs < toMs; atMs += windowMs) {
      const { value = null, samples = 0 } = windows.get(atMs) ?? {};
      // Without conversations it is unknown whether the agent was running. Windows before the first one with a conversation are therefore
      // left out.
      if (isCount && (samples > 0 || known.length > 0)) known.push({ value: value ?? 0, samples });
      else if (!isCount && value !== null && samples >= content.minSamples) known.push({ value, samples });
    }
    return known;
  });
}

/**
 * A scale (`to` and back: `from`) on which the spread of the values does not depend on their size. `leastSpread` returns the spread that
 * chance alone causes in a window with this number of samples.
 */
type Scale = {
  to: (value: number, samples: number) => number;
  from: (scaled: number, samples: number) => number;
  leastSpread: (samples: number) => number;
};

function scaleOf(content: AlertRuleContent): Scale {
  if (isNumber(content)) return COUNTS;
  return SCALES[watchedWords(content.watch).unit] ?? EVEN;
}

const EVEN: Scale = { to: (value) => value, from: (scaled) => scaled, leastSpread: () => 0 };

/** The square root of a Poisson count has a standard deviation of about 0.5 for every count (Anscombe 1948). */
const COUNTS: Scale = {
  to: (count) => Math.sqrt(count + 3 / 8),
  from: (scaled) => Math.max(0, scaled) ** 2 - 3 / 8,
  leastSpread: () => 0.5,
};

const SCALES: Record<string, Scale> = {
  ratio: {
    to: (share, samples) => Math.asin(Math.sqrt((share * samples + 3 / 8) / (samples + 3 / 4))),
    from: (scaled, samples) =>
      (Math.sin(Math.min(Math.PI / 2, Math.max(0, scaled))) ** 2 * (samples + 3 / 4) - 3 / 8) / samples,
    leastSpread: (samples) => 0.5 / Math.sqrt(samples),
  },
  // Mean of a count per conversation.
  count: {
    to: (mean, samples) => Math.sqrt(mean + 3 / (8 * samples)),
    from: (scaled, samples) => Math.max(0, scaled) ** 2 - 3 / (8 * samples),
    leastSpread: (samples) => 0.5 / Math.sqrt(samples),
  },
  // `asinh` is nearly a logarithm, and is also defined for negative times.
  ms: { to: (ms) => Math.asinh(ms / 100), from: (scaled) => 100 * Math.sinh(scaled), leastSpread: () => 0 },
};

/**
 * Returns the smallest difference from the usual value that matters. A smaller one raises no alert, even when it is statistically
 * significant.
 */
function leastDifference({ watch }: AlertRuleContent, usual: number): number {
  const { unit } = watchedWords(watch);
  if (unit === "ms") return leastNoticedMs(usual);
  return unit === "ratio" || unit === "count" ? 0 : Math.abs(usual) / 10;
}

/** Quantiles of the standard normal distribution, by their probability. */
const Z = { 0.99: 2.326, 0.999: 3.09, 0.9999: 3.719 } as const;

/** Standard deviation of a standard normal distribution after its lowest and highest sixth are replaced by the nearest other values. */
const NORMAL_SPREAD = 0.704;

/** The winsorized spread of n values is as precise as the ordinary standard deviation of this share of n values. */
const SPREAD_WORTH = 0.52;

function spreadOf(sorted: readonly number[]): number {
  const cut = Math.floor(sorted.length / 6);
  const [low, high] = [sorted[cut]!, sorted[sorted.length - 1 - cut]!];
  const kept = sorted.map((value) => Math.min(high, Math.max(low, value)));
  const mean = kept.reduce((sum, value) => sum + value, 0) / kept.length;
  const squares = kept.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return Math.sqrt(squares / (kept.length - 1)) / NORMAL_SPREAD;
}

/** Approximates the quantile of Student's t distribution from that of the normal distribution (Cornish and Fisher). */
export function quantileOfT(z: number, degrees: number): number {
  const first = (z ** 3 + z) / 4;
  const second = (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96;
  const third = (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384;
  return z + first / degrees + second / degrees ** 2 + third / degrees ** 3;
}

const ascending = (one: number, other: number) => one - other;

const medianOf = (sorted: readonly number[]): number =>
  (sorted[Math.floor((sorted.length - 1) / 2)]! + sorted[Math.ceil((sorted.length - 1) / 2)]!) / 2;
