import { MEASURES, type MeasureName, type Metrics, type MetricSeries } from "@svc/contract";
import { HOUR_MS, type MetricsRequest } from "./metric-rules.ts";

/** One measure of one agent in one bucket. */
export type MetricPoint = {
  source: "production" | "simulation";
  agent: string | null;
  measure: MeasureName;
  startMs: number;
  samples: number;
  p50: number | null;
  p95: number | null;
  mean: number;
};

const ORDER = Object.keys(MEASURES);

/** Series by agent, source and the order of the measures; `points` come by time. */
export function presentMetrics({ fromMs, toMs, bucketMs }: MetricsRequest, points: readonly MetricPoint[]): Metrics {
  const series = new Map<string, MetricSeries>();
  for (const { source, agent, measure, startMs, ...bucket } of points) {
    const key = JSON.stringify([agent, source, measure]);
    let one = series.get(key);
    if (one === undefined) {
      one = { agentName: agent, source, measure, unit: MEASURES[measure].unit, buckets: [] };
      series.set(key, one);
    }
    one.buckets.push({ startedAt: isoTime(startMs), ...bucket });
  }
  return {
    from: isoTime(fromMs),
    to: isoTime(toMs),
    bucket: bucketMs === HOUR_MS ? "hour" : "day",
    series: [...series.values()].sort(inOrder),
  };
}

const isoTime = (ms: number) => new Date(ms).toISOString();

/** The unnamed last. */
function inOrder(a: MetricSeries, b: MetricSeries): number {
  if (a.agentName !== b.agentName) {
    if (a.agentName === null || b.agentName === null) return a.agentName === null ? 1 : -1;
    return a.agentName < b.agentName ? -1 : 1;
  }
  return a.source.localeCompare(b.source) || ORDER.indexOf(a.measure) - ORDER.indexOf(b.measure);
}
