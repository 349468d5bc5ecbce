import type { Metrics, MetricSeries } from "@svc/contract";
import { MEASURES } from "@svc/contract/constants";
import { type Column, table } from "../terminal/output.ts";
import { amount } from "./amount.ts";

const CHART_COLUMNS = 42;
const BUCKET_MS = { hour: 3_600_000, day: 86_400_000 };

export function metricRows(metrics: Metrics, empty: string, terminal?: number): string {
  const latest = ({ buckets }: MetricSeries) => buckets.at(-1)!;
  const columns: Column<MetricSeries>[] = [
    { title: "agent", cell: ({ agentName }) => agentName ?? "?", cut: true },
    ...(metrics.series.some(({ agentVersion }) => agentVersion !== undefined)
      ? [{ title: "version", cell: ({ agentVersion }: MetricSeries) => agentVersion ?? "?", cut: true }]
      : []),
    ...(metrics.series.some(({ channel }) => channel !== undefined)
      ? [{ title: "channel", cell: ({ channel }: MetricSeries) => channel ?? "?" }]
      : []),
    ...(metrics.series.some(({ source }) => source === "simulation")
      ? [{ title: "source", cell: ({ source }: MetricSeries) => source }]
      : []),
    { title: "measure", cell: ({ measure }) => MEASURES[measure].label },
    { title: "samples", cell: (series) => String(sampleCount(series)), right: true, spare: 3 },
    { title: "last p50", cell: (series) => amount(latest(series).p50, series.unit), right: true },
    { title: "last p95", cell: (series) => amount(latest(series).p95, series.unit), right: true, spare: 2 },
    { title: "last mean", cell: (series) => amount(latest(series).mean, series.unit), right: true, spare: 1 },
    { title: `mean by ${metrics.bucket}`, cell: (series, room) => `│${chartOf(series, metrics, room - 2)}│` },
  ];
  return table(metrics.series, columns, empty, terminal);
}

const sampleCount = ({ buckets }: MetricSeries) => buckets.reduce((sum, { samples }) => sum + samples, 0);

/** A bucket without samples is a gap. */
function chartOf({ buckets }: MetricSeries, { from, to, bucket }: Metrics, columns: number): string {
  const startMs = Date.parse(from);
  const length = Math.ceil((Date.parse(to) - startMs) / BUCKET_MS[bucket]);
  const values = Array.from<number | null>({ length }).fill(null);
  for (const { startedAt, mean } of buckets) values[(Date.parse(startedAt) - startMs) / BUCKET_MS[bucket]] = mean;
  return sparkline(downsample(values, Math.min(columns, CHART_COLUMNS))).replaceAll(" ", "·");
}

const BARS = "▁▂▃▄▅▆▇█";

export function sparkline(values: readonly (number | null)[]): string {
  const numbers = values.filter((value) => value !== null);
  const [least, greatest] = [Math.min(...numbers), Math.max(...numbers)];
  const barOf = (value: number) => {
    const share = greatest === least ? 0.5 : (value - least) / (greatest - least);
    return BARS[Math.min(BARS.length - 1, Math.floor(share * BARS.length))]!;
  };
  return values.map((value) => (value === null ? " " : barOf(value))).join("");
}

/** Each returned value is the mean of a range of values; null for a range without values. */
export function downsample(values: readonly (number | null)[], columns: number): (number | null)[] {
  if (values.length <= columns) return [...values];
  return Array.from({ length: columns }, (_, column) => {
    const from = Math.floor((column * values.length) / columns);
    const to = Math.floor(((column + 1) * values.length) / columns);
    const numbers = values.slice(from, to).filter((value) => value !== null);
    return numbers.length === 0 ? null : numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
  });
}
