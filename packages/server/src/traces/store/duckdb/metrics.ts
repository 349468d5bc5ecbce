import { LIMITS, SAMPLE_PROVENANCES } from "@svc/contract/constants";
import { addedSums, type PooledStatistics, statisticsOf } from "../../measures/pooled-samples.ts";
import { bucketOf, utcStart } from "../../metrics/metric-buckets.ts";
import type { MetricsPeriod, MetricsRequest } from "../../metrics/metric-rules.ts";
import type { MetricPoint, ToolCount } from "../trace-store.ts";
import { type DatabaseConnection, integer, inTransaction, rowsOf } from "./database.ts";
import { conditionsOf } from "./metric-conditions.ts";
import { readSeries } from "./read-pools.ts";
import type { SeriesName } from "./series-set.ts";

type Grouping = { from: string; timeMs: string; where: readonly string[]; by: string; counts: string };
type Row<Point> = Omit<Point, "startMs"> & { start_ms: bigint | null };

export async function readMetrics(read: DatabaseConnection, request: MetricsRequest): Promise<MetricPoint[] | null> {
  const found = await inTransaction(read, () => readSeries(read, request));
  if (found === null) return null;
  const [periods, points]: [MetricPoint[], MetricPoint[]] = [[], []];
  const { lists } = found;
  for (const series of found.series) {
    for (const bucket of series.buckets) {
      const statistics = statisticsOf(bucket, { lists, places: bucket.places });
      points.push(pointOf(series, utcStart(bucket.startMs, request), statistics));
    }
    const places = series.buckets.flatMap((bucket) => bucket.places);
    periods.push(pointOf(series, null, statisticsOf(addedSums(series.buckets), { lists, places })));
  }
  return [...periods, ...points.sort((a, b) => a.startMs! - b.startMs!)];
}

function pointOf(
  { source, agent, version, channel, measure }: SeriesName,
  startMs: number | null,
  { provenances, ...statistics }: PooledStatistics,
): MetricPoint {
  const named = SAMPLE_PROVENANCES.filter((_, at) => (provenances & (1 << at)) !== 0);
  return { source, agent, version, channel, measure, startMs, ...statistics, provenances: named };
}

export async function countToolCalls(read: DatabaseConnection, period: MetricsPeriod): Promise<ToolCount[] | null> {
  const values: string[] = [];
  const where = [`project = ${integer(period.project)}`, ...conditionsOf(period, (value) => `$${values.push(value)}`)];
  const counts = `count(*)::INTEGER AS calls, count(*) FILTER (is_error)::INTEGER AS errors,
    count(*) FILTER (is_error IS NULL)::INTEGER AS unknown`;
  const grouping = {
    from: "tool_calls",
    timeMs: "at_ms",
    where,
    by: `source, agent, ${period.byVersion ? "agent_version AS version, " : ""}${period.byChannel ? "channel, " : ""}tool`,
    counts,
  };
  const rows = await pooled<Row<ToolCount>>(read, period, grouping, values);
  return rows && rows.map((row) => withStart(row, period));
}

async function pooled<PooledRow>(
  read: DatabaseConnection,
  period: MetricsPeriod,
  { from, timeMs, where, by, counts }: Grouping,
  values: string[],
): Promise<PooledRow[] | null> {
  const { fromMs, toMs } = period;
  const conditions = [`${timeMs} >= ${integer(fromMs)}`, `${timeMs} < ${integer(toMs)}`, ...where].join(" AND ");
  const rowsBy = (start: string) => `
    SELECT ${by}, ${start} AS start_ms, ${counts} FROM ${from} WHERE ${conditions} GROUP BY ALL
    LIMIT ${LIMITS.metricPoints + 1}`;
  const buckets = await rowsOf<PooledRow>(
    read,
    `SELECT * FROM (${rowsBy(bucketOf(timeMs, period, (value, by) => `${value} // ${integer(by)}`))}) ORDER BY start_ms`,
    values,
  );
  if (buckets.length > LIMITS.metricPoints) return null;
  // A query has all values that it pools in memory. Two queries one after another need less memory than one query for both.
  return [...(await rowsOf<PooledRow>(read, rowsBy("NULL::BIGINT"), values)), ...buckets];
}

const withStart = <Columns extends { start_ms: bigint | null }>(
  { start_ms, ...row }: Columns,
  period: MetricsPeriod,
) => ({ ...row, startMs: utcStart(start_ms === null ? null : Number(start_ms), period) });
