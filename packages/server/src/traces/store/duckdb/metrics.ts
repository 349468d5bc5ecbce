import { isMeasureName, LIMITS } from "@svc/contract/constants";
import { minimumSampleCount } from "../../measures/percentile.ts";
import type { MetricsRequest } from "../../metric-rules.ts";
import type { MetricPoint } from "../trace-store.ts";
import { type DatabaseConnection, integer, rowsOf } from "./database.ts";

type Row = Omit<MetricPoint, "startMs"> & { start_ms: bigint };

/** Returns the points in order of time; null when there are too many. `quantile_disc` is the nearest rank. */
export async function readMetrics(read: DatabaseConnection, request: MetricsRequest): Promise<MetricPoint[] | null> {
  const { fromMs, toMs, bucketMs, measures, agent, source } = request;
  const values: string[] = [];
  const bind = (value: string) => `$${values.push(value)}`;
  const where = [`project = ${integer(request.project)}`, `at_ms >= ${integer(fromMs)}`, `at_ms < ${integer(toMs)}`];
  if (measures !== undefined) where.push(`measure IN (${measures.map(bind).join(", ")})`);
  if (agent !== undefined) where.push(`agent = ${bind(agent)}`);
  if (source !== undefined) where.push(`source = ${bind(source)}`);
  const rows = await rowsOf<Row>(
    read,
    `SELECT source, agent, measure, start_ms, samples, mean,
       if(samples >= ${minimumSampleCount(50)}, ranks[1], NULL) AS p50, if(samples >= ${minimumSampleCount(95)}, ranks[2], NULL) AS p95
     FROM (
       SELECT source, agent, measure, at_ms // ${integer(bucketMs)} * ${bucketMs} AS start_ms, count(*)::INTEGER AS samples,
         avg(value) AS mean, quantile_disc(value, [0.5, 0.95]) AS ranks
       FROM measures WHERE ${where.join(" AND ")} GROUP BY ALL LIMIT ${LIMITS.metricPoints + 1}
     ) ORDER BY start_ms`,
    values,
  );
  if (rows.length > LIMITS.metricPoints) return null;
  // The store may hold measures of an earlier version.
  return rows
    .filter((row) => isMeasureName(row.measure))
    .map(({ start_ms, ...row }) => ({ ...row, startMs: Number(start_ms) }));
}
