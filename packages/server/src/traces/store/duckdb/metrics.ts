import { isMeasureName, LIMITS, SAMPLE_PROVENANCES } from "@svc/contract/constants";
import { minimumSampleCount } from "../../measures/percentile.ts";
import type { MetricsPeriod, MetricsRequest } from "../../metric-rules.ts";
import { utcOf } from "../../zone-offsets.ts";
import type { ConversationCount, MetricPoint, ToolCount } from "../trace-store.ts";
import { type DatabaseConnection, integer, inTransaction, rowsOf } from "./database.ts";
import { conversationsOf } from "./summaries.ts";

/** The columns of a query's rows: one row for each group and bucket, and for each group in the whole period. */
type Grouping = { from: string; timeMs: string; where: readonly string[]; by: string; counts: string };
type Row<Point> = Omit<Point, "startMs"> & { start_ms: bigint | null };

/** Returns the points in order of time, the whole period first; null when there are too many. */
export async function readMetrics(read: DatabaseConnection, request: MetricsRequest): Promise<MetricPoint[] | null> {
  const { measures } = request;
  const values: string[] = [];
  const bind = (value: string) => `$${values.push(value)}`;
  const where = [`project = ${integer(request.project)}`, ...conditionsOf(request, bind)];
  if (measures !== undefined) where.push(`measure IN (${measures.map(bind).join(", ")})`);
  // `quantile_disc` is the nearest rank. The rounded exact sum gives one mean in every order of the rows.
  const counts = `count(*)::INTEGER AS samples, round(favg(value), 6) AS mean, quantile_disc(value, [0.5, 0.95]) AS ranks,
    bit_or(CASE provenance ${SAMPLE_PROVENANCES.map((name, at) => `WHEN '${name}' THEN ${1 << at}`).join(" ")} END)::INTEGER AS provenances`;
  const grouping = { from: "measures", timeMs: "at_ms", where, by: "source, agent, measure", counts };
  type PointRow = Row<Omit<MetricPoint, "p50" | "p95" | "provenances">> & {
    ranks: { items: number[] };
    provenances: number;
  };
  const rows = await pooled<PointRow>(read, request, grouping, values);
  // The store may hold measures of an earlier version.
  return (
    rows &&
    rows
      .filter((row) => isMeasureName(row.measure))
      .map(
        ({
          ranks: {
            items: [p50, p95],
          },
          provenances,
          ...row
        }) => ({
          ...withStart(row, request),
          p50: row.samples >= minimumSampleCount(50) ? p50! : null,
          p95: row.samples >= minimumSampleCount(95) ? p95! : null,
          provenances: SAMPLE_PROVENANCES.filter((_, at) => (provenances & (1 << at)) !== 0),
        }),
      )
  );
}

/** Returns the counts in order of time, the whole period first; null when there are too many. */
export async function countConversations(
  read: DatabaseConnection,
  period: MetricsPeriod,
): Promise<ConversationCount[] | null> {
  const values: string[] = [];
  const where = conditionsOf(period, (value) => `$${values.push(value)}`);
  const counts = "count(*)::INTEGER AS conversations, count(*) FILTER (errors > 0)::INTEGER AS errors";
  const columns = "source, agent, started_ns, errors";
  return inTransaction(read, async () => {
    const { asRead, changed } = await conversationsOf(read, period.project);
    const all = [asRead, ...(changed === null ? [] : [changed])].map((query) => `SELECT ${columns} FROM (${query})`);
    const from = `(${all.join(" UNION ALL ")})`;
    const grouping = { from, timeMs: "started_ns // 1000000", where, by: "source, agent", counts };
    const rows = await pooled<Row<ConversationCount>>(read, period, grouping, values);
    return rows && rows.map((row) => withStart(row, period));
  });
}

/** Returns the counts in order of time, the whole period first; null when there are too many. */
export async function countToolCalls(read: DatabaseConnection, period: MetricsPeriod): Promise<ToolCount[] | null> {
  const values: string[] = [];
  const where = [`project = ${integer(period.project)}`, ...conditionsOf(period, (value) => `$${values.push(value)}`)];
  const counts = `count(*)::INTEGER AS calls, count(*) FILTER (is_error)::INTEGER AS errors,
    count(*) FILTER (is_error IS NULL)::INTEGER AS unknown`;
  const grouping = { from: "tool_calls", timeMs: "at_ms", where, by: "source, agent, tool", counts };
  const rows = await pooled<Row<ToolCount>>(read, period, grouping, values);
  return rows && rows.map((row) => withStart(row, period));
}

/** Returns a row for each group in the whole period, then a row for each group and bucket; null when there are too many. */
async function pooled<PooledRow>(
  read: DatabaseConnection,
  { fromMs, toMs, bucketMs, offsets }: MetricsPeriod,
  { from, timeMs, where, by, counts }: Grouping,
  values: string[],
): Promise<PooledRow[] | null> {
  const conditions = [`${timeMs} >= ${integer(fromMs)}`, `${timeMs} < ${integer(toMs)}`, ...where].join(" AND ");
  const rowsBy = (start: string) => `
    SELECT ${by}, ${start} AS start_ms, ${counts} FROM ${from} WHERE ${conditions} GROUP BY ALL
    LIMIT ${LIMITS.metricPoints + 1}`;
  const buckets = await rowsOf<PooledRow>(
    read,
    `SELECT * FROM (${rowsBy(`${localMs(timeMs, offsets)} // ${integer(bucketMs)} * ${bucketMs}`)}) ORDER BY start_ms`,
    values,
  );
  if (buckets.length > LIMITS.metricPoints) return null;
  // A pool holds its raw values in memory. Two queries after each other need the memory of one.
  return [...(await rowsOf<PooledRow>(read, rowsBy("NULL::BIGINT"), values)), ...buckets];
}

function conditionsOf({ agents, source }: MetricsPeriod, bind: (value: string) => string): string[] {
  const where: string[] = [];
  if (agents !== undefined) where.push(`agent IN (${agents.map(bind).join(", ")})`);
  if (source !== undefined) where.push(`source = ${bind(source)}`);
  return where;
}

/** Returns the local time of a moment in SQL. */
function localMs(timeMs: string, offsets: MetricsPeriod["offsets"]): string {
  if (offsets === undefined) return timeMs;
  const offset = offsets.reduceRight(
    (later, { beforeMs, offsetMs }) =>
      later === "" ? `${offsetMs}` : `if(${timeMs} < ${beforeMs}, ${offsetMs}, ${later})`,
    "",
  );
  return `(${timeMs} + ${offset})`;
}

function withStart<Columns extends { start_ms: bigint | null }>(
  { start_ms, ...row }: Columns,
  { offsets }: MetricsPeriod,
) {
  const localStartMs = start_ms === null ? null : Number(start_ms);
  const startMs = localStartMs === null || offsets === undefined ? localStartMs : utcOf(offsets, localStartMs);
  return { ...row, startMs };
}
