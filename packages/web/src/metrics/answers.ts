import { MEASURES, type MeasureName } from "@svc/contract/constants";
import type { PlotPart, PlotSeries } from "../ui/plot-drawing.ts";
import { type Earlier, earlierOf } from "./change-words.ts";
import { keyOf, type Line, type Metrics, nameOfLine } from "./lines.ts";
import { findSeries, medianPoint, pointsOf, type Pooled, type Series, timesOf } from "./measure-plots.ts";

/** How a time to answer is measured. The keys are values of the search parameter `answers`. */
export const ANSWER_KINDS = {
  spoken: { measure: "response_latency", words: "Spoken" },
  heard: { measure: "heard_response_latency", words: "As heard" },
  typed: { measure: "text_response_time", words: "Typed" },
} as const satisfies Record<string, { measure: MeasureName; words: string }>;
export type AnswerKind = keyof typeof ANSWER_KINDS;
export const ANSWER_KIND_NAMES = Object.keys(ANSWER_KINDS) as AnswerKind[];

/** Parts of a spoken answer, in the order of time. */
const PARTS = [
  { measure: "end_of_utterance_delay", label: "End of utterance", token: "--phase-wait" },
  { measure: "unexplained_latency", label: "Unexplained remainder", token: "--phase-rest" },
  { measure: "llm_time_to_first_token", label: "Model", token: "--phase-model" },
  { measure: "tts_time_to_first_byte", label: "Speech", token: "--phase-speech" },
] as const satisfies readonly { measure: MeasureName; label: string; token: string }[];

export const PART_WORDS = PARTS.map(({ label, token, measure }) => ({
  label,
  token,
  meaning: MEASURES[measure].meaning,
}));

/** Measures that the page requests of all agents. */
export const ANSWER_MEASURES: readonly MeasureName[] = [
  ...ANSWER_KIND_NAMES.map((kind) => ANSWER_KINDS[kind].measure),
  ...PARTS.map(({ measure }) => measure),
];

/** Returns the kinds that have samples, the one with the most samples of these lines first. */
export function answerKinds({ series }: Pick<Metrics, "series">, lines: readonly Line[]): AnswerKind[] {
  const keys = new Set(lines.map(keyOf));
  const samplesOf = (kind: AnswerKind) =>
    series
      .filter(({ measure }) => measure === ANSWER_KINDS[kind].measure)
      .reduce((sum, { period, ...line }) => sum + (keys.has(keyOf(line)) ? period.samples : Number.EPSILON), 0);
  return ANSWER_KIND_NAMES.filter((kind) => samplesOf(kind) > 0).toSorted(
    (one, other) => samplesOf(other) - samplesOf(one),
  );
}

/** The means of the parts. A negative one ran at the same time as others. */
export type AnswerRow = {
  line: Line;
  now: Pooled | undefined;
  /** Undefined without a comparison. */
  before: { p50: Earlier; p95: Earlier } | undefined;
  parts: PlotPart[];
};

type Answers = { metrics: Metrics; before: Metrics | undefined; kind: AnswerKind };

export function answerRows({ metrics, before, kind }: Answers, lines: readonly Line[]): AnswerRow[] {
  const { measure } = ANSWER_KINDS[kind];
  return lines.map((line) => {
    const earlier = findSeries(before, measure, line)?.period;
    return {
      line,
      now: findSeries(metrics, measure, line)?.period,
      before: before && { p50: earlierOf(earlier, ({ p50 }) => p50), p95: earlierOf(earlier, ({ p95 }) => p95) },
      parts: partsOf(metrics, line, kind, (series) => [series.period.mean]),
    };
  });
}

/** Returns the known parts of a line's spoken answers. */
function partsOf(
  metrics: Metrics,
  line: Line,
  kind: AnswerKind,
  valuesOf: (series: Series) => (number | null)[],
): PlotPart[] {
  if (kind !== "spoken") return [];
  return PARTS.flatMap(({ measure, label, token }): PlotPart[] => {
    const series = findSeries(metrics, measure, line);
    return series === undefined ? [] : [{ label, token, values: valuesOf(series) }];
  });
}

export type AnswerPlot = { series: PlotSeries[]; parts: PlotPart[] };

/** Returns a plot of the medians and one of the 95th percentiles. */
export function answerPlots(
  { metrics, kind }: Answers,
  lines: readonly Line[],
): { median: PlotSeries[]; p95: PlotSeries[] } {
  const times = timesOf(metrics);
  const found = lines.flatMap((line, color) => {
    const series = findSeries(metrics, ANSWER_KINDS[kind].measure, line);
    return series === undefined ? [] : [{ words: { label: nameOfLine(line), color }, series }];
  });
  return {
    median: found.map(({ words, series }) => ({ ...words, points: pointsOf(series.buckets, times, medianPoint) })),
    p95: found.map(({ words, series }) => ({ ...words, ...p95Line(series, times) })),
  };
}

/** A bucket of fewer than 20 answers has no p95. If no bucket has one, the line is the level of the whole period. */
function p95Line({ buckets, period }: Series, times: readonly number[]): Pick<PlotSeries, "points" | "look"> {
  const pointOf = ({ p95 }: { p95: number | null }) => (p95 === null ? null : { value: p95, isFew: false });
  if (buckets.some(({ p95 }) => p95 !== null)) return { points: pointsOf(buckets, times, pointOf) };
  return { points: times.map(() => pointOf(period)), look: "thin" };
}

/** Returns the plot of one line: its median, its p95, its earlier median, and the parts of its answers. */
export function onlyPlot({ metrics, before, kind }: Answers, line: Line): AnswerPlot {
  const times = timesOf(metrics);
  const { measure } = ANSWER_KINDS[kind];
  const [now, earlier] = [findSeries(metrics, measure, line), findSeries(before, measure, line)];
  const series: PlotSeries[] = [];
  if (now) {
    series.push({ label: "Median", color: 0, points: pointsOf(now.buckets, times, medianPoint) });
    const line = p95Line(now, times);
    series.push({ label: line.look === "thin" ? "p95, whole period" : "p95", color: 1, ...line });
  }
  if (before && earlier) {
    const points = pointsOf(earlier.buckets, timesOf(before), medianPoint);
    series.push({ label: "Median before", color: 0, look: "before", points: times.map((_, at) => points[at] ?? null) });
  }
  const meanPoint = ({ mean }: { mean: number }) => ({ value: mean, isFew: false });
  const parts = partsOf(metrics, line, kind, ({ buckets }) =>
    pointsOf(buckets, times, meanPoint).map((point) => point?.value ?? null),
  );
  return { series, parts };
}
