import { MEASURES, type Metrics, type MetricSeries } from "@svc/contract";
import { type Column, table } from "../output.ts";
import { amount } from "./amount.ts";
import { sparkline, squeezed } from "./sparkline.ts";

const CHART_COLUMNS = 42;
const BUCKET_MS = { hour: 3_600_000, day: 86_400_000 };

type Row = { series: MetricSeries; chart: string };

/** A line for each agent and measure: its samples, its newest bucket, and its means over time as a chart. */
export function metricRows(metrics: Metrics, empty: string): string {
  const rows = metrics.series.map((series): Row => ({ series, chart: chartOf(series, metrics) }));
  const latest = ({ series }: Row) => series.buckets.at(-1)!;
  const columns: Column<Row>[] = [
    { title: "agent", cell: ({ series }) => series.agentName ?? "?" },
    ...(metrics.series.some(({ source }) => source === "simulation")
      ? [{ title: "source", cell: ({ series }: Row) => series.source }]
      : []),
    { title: "measure", cell: ({ series }) => MEASURES[series.measure].label },
    { title: "samples", cell: ({ series }) => String(sampleCount(series)), right: true },
    { title: "last p50", cell: (row) => amount(latest(row).p50, row.series.unit), right: true },
    { title: "last p95", cell: (row) => amount(latest(row).p95, row.series.unit), right: true },
    { title: "last mean", cell: (row) => amount(latest(row).mean, row.series.unit), right: true },
    { title: `mean by ${metrics.bucket}`, cell: ({ chart }) => `│${chart}│` },
  ];
  return table(rows, columns, empty);
}

const sampleCount = ({ buckets }: MetricSeries) => buckets.reduce((sum, { samples }) => sum + samples, 0);

/** Buckets without a sample are gaps. */
function chartOf({ buckets }: MetricSeries, { from, to, bucket }: Metrics): string {
  const startMs = Date.parse(from);
  const length = Math.ceil((Date.parse(to) - startMs) / BUCKET_MS[bucket]);
  const values = Array.from<number | null>({ length }).fill(null);
  for (const { startedAt, mean } of buckets) values[(Date.parse(startedAt) - startMs) / BUCKET_MS[bucket]] = mean;
  return sparkline(squeezed(values, CHART_COLUMNS)).replaceAll(" ", "·");
}
