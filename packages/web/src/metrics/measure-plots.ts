import { MEASURES, type MeasureName } from "@svc/contract/constants";
import { bucketStarts } from "../periods.ts";
import type { PlotPoint, PlotSeries } from "../ui/plot-drawing.ts";
import { type Earlier, earlierOf } from "./change-words.ts";
import { type ConversationCounts, keyOf, type Line, type Metrics, nameOfLine } from "./lines.ts";

export type Series = Metrics["series"][number];
export type Bucket = Series["buckets"][number];
export type Pooled = Series["period"];

/** Values of one line in the whole period. A number of conversations has no percentiles. */
export type Total = {
  line: Line;
  color: number;
  value: number | null;
  p95: number | null;
  samples: number;
  provenances: string[];
  /** Undefined without a comparison. */
  before: Earlier | undefined;
};

export type MeasurePlot = {
  id: string;
  label: string;
  meaning: string;
  unit: string;
  /** What the value of a bucket is: `Median`, or for counts and shares `Mean per tool call`. */
  statistic: string;
  hasPercentiles: boolean;
  lines: Line[];
  series: PlotSeries[];
  totals: Total[];
  /** Rows of the export, the head first. */
  rows: (string | number | null)[][];
};

/** The lines that are drawn, and the answers for them. */
export type Drawn = { lines: readonly Line[]; metrics: Metrics; before: Metrics | undefined };

/** In milliseconds. */
export const timesOf = ({ from, to, bucket }: Pick<Metrics, "from" | "to" | "bucket">): number[] =>
  bucketStarts(from, to, bucket);

export const findSeries = (metrics: Metrics | undefined, measure: MeasureName, line: Line): Series | undefined =>
  metrics?.series.find((each) => each.measure === measure && keyOf(each) === keyOf(line));

/** Returns a point for each time. A bucket without samples is a gap. */
export function pointsOf<T extends { startedAt: string }>(
  buckets: readonly T[],
  times: readonly number[],
  pointOf: (bucket: T) => PlotPoint | null,
): (PlotPoint | null)[] {
  const byStart = new Map(buckets.map((bucket) => [Date.parse(bucket.startedAt), bucket]));
  return times.map((time) => {
    const bucket = byStart.get(time);
    return bucket === undefined ? null : pointOf(bucket);
  });
}

/** A median of too few samples is unknown. Then the point is their mean. */
export const medianPoint = ({ p50, mean }: Bucket): PlotPoint => ({ value: p50 ?? mean, isFew: p50 === null });

const isMean = (unit: string): boolean => unit === "count" || unit === "ratio";

const HEAD = ["started_at", "agent", "version", "measure", "unit", "samples", "p50", "p90", "p95", "mean"];

/** Returns a plot for each of these measures that has samples. Counts and shares are plotted as means, others as medians. */
export function measurePlots({ lines, metrics, before }: Drawn, measures: readonly MeasureName[]): MeasurePlot[] {
  const times = timesOf(metrics);
  return measures.flatMap((measure): MeasurePlot[] => {
    const { label, meaning, unit, per } = MEASURES[measure];
    const found = lines.flatMap((line, color) => {
      const series = findSeries(metrics, measure, line);
      return series === undefined ? [] : [{ line, color, series }];
    });
    if (found.length === 0) return [];
    const valueOf = ({ p50, mean }: Pooled) => (isMean(unit) ? mean : p50);
    const series = found.map(({ line, color, series: { buckets } }): PlotSeries => ({
      label: nameOfLine(line),
      color,
      points: pointsOf(buckets, times, (bucket) =>
        isMean(unit) ? { value: bucket.mean, isFew: false } : medianPoint(bucket),
      ),
    }));
    const totals = found.map(({ line, color, series: { period } }): Total => {
      return {
        line,
        color,
        value: valueOf(period),
        p95: period.p95,
        samples: period.samples,
        provenances: period.provenances,
        before: before && earlierOf(findSeries(before, measure, line)?.period, valueOf),
      };
    });
    const rows = found.flatMap(({ line: { agentName, agentVersion = null }, series: { buckets } }) =>
      buckets.map(({ startedAt, samples, p50, p90, p95, mean }) => [
        startedAt,
        agentName,
        agentVersion,
        measure,
        unit,
        samples,
        p50,
        p90,
        p95,
        mean,
      ]),
    );
    return [
      {
        id: measure,
        label,
        meaning,
        unit,
        series,
        totals,
        statistic: isMean(unit) ? `Mean per ${per}` : "Median",
        hasPercentiles: !isMean(unit),
        lines: found.map(({ line }) => line),
        rows: [HEAD, ...rows],
      },
    ];
  });
}

/** Returns the number of conversations and the share of those with errors, as plots. */
export function conversationPlots(counts: ConversationCounts, lines: readonly Line[]): MeasurePlot[] {
  const times = timesOf(counts);
  const found = lines.flatMap((line, color) => {
    const series = counts.series.find((each) => keyOf(each) === keyOf(line));
    return series === undefined || series.conversations === 0 ? [] : [{ line, color, series }];
  });
  if (found.length === 0) return [];
  const rows = [
    ["started_at", "agent", "version", "conversations", "errors"],
    ...found.flatMap(({ line: { agentName, agentVersion = null }, series: { buckets } }) =>
      buckets.map(({ startedAt, conversations, errors }) => [
        startedAt,
        agentName,
        agentVersion,
        conversations,
        errors,
      ]),
    ),
  ];
  type Counts = { conversations: number; errors: number };
  const plot = (
    words: Pick<MeasurePlot, "id" | "label" | "meaning" | "unit">,
    valueOf: (counts: Counts) => number,
  ) => ({
    ...words,
    statistic: words.unit === "ratio" ? "Share" : "Number",
    hasPercentiles: false,
    lines: found.map(({ line }) => line),
    series: found.map(({ line, color, series: { buckets } }) => ({
      label: nameOfLine(line),
      color,
      points: pointsOf(buckets, times, (bucket) => ({ value: valueOf(bucket), isFew: false })),
    })),
    totals: found.map(({ line, color, series }) => ({
      line,
      color,
      value: valueOf(series),
      p95: null,
      samples: series.conversations,
      provenances: [],
      before: undefined,
    })),
    rows,
  });
  return [
    plot(
      {
        id: "errors",
        label: "Conversations with an error",
        meaning: "Share of the conversations with a failed span or tool call.",
        unit: "ratio",
      },
      ({ conversations, errors }) => errors / conversations,
    ),
    plot(
      { id: "conversations", label: "Conversations", meaning: "Number of conversations that started.", unit: "count" },
      ({ conversations }) => conversations,
    ),
  ];
}
