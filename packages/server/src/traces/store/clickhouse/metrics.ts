import { isMeasureName, LIMITS, type MeasureName, SAMPLE_PROVENANCES } from "@svc/contract/constants";
import { sql } from "kysely";
import type { Db } from "../../../stores/relational.ts";
import { minimumSampleCount } from "../../measures/percentile.ts";
import type { MetricsPeriod, MetricsRequest } from "../../metric-rules.ts";
import { utcOf } from "../../zone-offsets.ts";
import type { ConversationCount, MetricPoint, ToolCount } from "../trace-store.ts";
import { type ClickHouse, integer, quoted } from "./client.ts";
import { IS_READ } from "./sort-keys.ts";

type Source = MetricPoint["source"];
/** A group in one bucket of local time; the whole period has none. */
type Bucketed<Row> = Omit<Row, "startMs"> & { start: number | null };

type SampleRow = {
  source: Source;
  agent: string | null;
  measure: string;
  start: number | null;
  count: number;
  total: number;
  p50: number;
  p95: number;
  provenances: MetricPoint["provenances"];
};

/** Returns the points in order of time, the whole period first; null when there are too many. */
export async function readMetrics(clickHouse: ClickHouse, request: MetricsRequest): Promise<MetricPoint[] | null> {
  const { measures } = request;
  const ofMeasures = measures && [`measure IN (${measures.map(quoted).join(", ")})`];
  const grouping: Grouping = {
    table: "samples",
    columns: "measure, value, provenance",
    by: "source, agent, measure",
    sums: `count() AS samples, sum(value) AS sum, groupArrayState(value) AS pool, groupUniqArrayState(provenance) AS names`,
    values: `toUInt32(sum(samples)) AS count, sum(sum) AS total, ${[50, 95].map(rank).join(", ")},
      arrayMap(toString, groupUniqArrayMerge(names)) AS provenances`,
    where: ofMeasures ?? [],
  };
  const rows = await grouped<SampleRow>(clickHouse, request, grouping);
  return rows && rows.filter(({ measure }) => isMeasureName(measure)).map((row) => pointOf(row, request));
}

/** The least value that a share of the samples does not exceed. */
const rank = (p: number) => `arraySort(groupArrayMerge(pool))[intDiv(count * ${p} + 99, 100)] AS p${p}`;

function pointOf({ measure, start, count, total, ...row }: SampleRow, period: MetricsPeriod): MetricPoint {
  const shown = (p: number, value: number) => (count >= minimumSampleCount(p) ? value : null);
  return {
    source: row.source,
    agent: row.agent,
    measure: measure as MeasureName,
    startMs: utcStart(start, period),
    samples: count,
    // Rounding makes the mean the same number for every order of the samples.
    mean: Math.round((total / count) * 1e6) / 1e6,
    p50: shown(50, row.p50),
    p95: shown(95, row.p95),
    provenances: SAMPLE_PROVENANCES.filter((name) => row.provenances.includes(name)),
  };
}

/** Returns the counts in order of time, the whole period first; null when there are too many. */
export async function countToolCalls(clickHouse: ClickHouse, period: MetricsPeriod): Promise<ToolCount[] | null> {
  const grouping: Grouping = {
    table: "tools",
    columns: "tool, is_error",
    by: "source, agent, tool",
    sums: "count() AS all, countIf(is_error = 1) AS failed, countIf(is_error IS NULL) AS open",
    values: "toUInt32(sum(all)) AS calls, toUInt32(sum(failed)) AS errors, toUInt32(sum(open)) AS unknown",
    where: [],
  };
  const rows = await grouped<Bucketed<ToolCount>>(clickHouse, period, grouping);
  return rows && rows.map(({ start, ...row }) => ({ ...row, startMs: utcStart(start, period) }));
}

/** The items of a reading, the columns that a query needs of them, and its groups. */
type Grouping = {
  table: "samples" | "tools";
  columns: string;
  by: string;
  /** The sums of a group in one bucket. */
  sums: string;
  /** The values of a group, from its sums in one bucket or in all. */
  values: string;
  where: readonly string[];
};

/** Returns a row for each group in the whole period, then a row for each group and bucket; null when there are too many. */
async function grouped<Row extends { start: number | null }>(
  { rowsOf, table }: ClickHouse,
  { project, fromMs, toMs, bucketMs, offsets, agents, source }: MetricsPeriod,
  { table: items, columns, by, sums, values, where }: Grouping,
): Promise<Row[] | null> {
  const conditions = [
    `project = ${integer(project)} AND last_ms >= ${integer(fromMs)} AND first_ms < ${integer(toMs)}`,
    ...(source === undefined ? [] : [`source = ${quoted(source)}`]),
    ...(agents === undefined ? [] : [`agent IN (${agents.map(quoted).join(", ")})`]),
  ];
  const renamed = columns.split(", ").map((name) => `item.${name} AS ${name}`);
  const chosen = [`at_ms >= ${integer(fromMs)}`, `at_ms < ${integer(toMs)}`, ...where].join(" AND ");
  const from = `(SELECT source, agent, item.at_ms AS at_ms, ${renamed.join(", ")} FROM ${table("readings")} FINAL
    ARRAY JOIN ${items} AS item WHERE ${conditions.join(" AND ")})`;
  const bucket = `intDiv(${localMs("at_ms", offsets)}, ${integer(bucketMs)}) * ${bucketMs}`;
  const rows = await rowsOf<Row>(
    `SELECT ${by}, if(grouping(bucket) = 1, NULL, toFloat64(bucket)) AS start, ${values}
     FROM (SELECT ${by}, ${bucket} AS bucket, ${sums} FROM ${from} WHERE ${chosen} GROUP BY ${by}, bucket)
     GROUP BY GROUPING SETS ((${by}), (${by}, bucket))
     ORDER BY start NULLS FIRST LIMIT ${ROWS_MAX + 1}`,
  );
  return areTooMany(rows) ? null : rows;
}

/** Each group has a row for the whole period and one for each of its buckets. */
const ROWS_MAX = 2 * LIMITS.metricPoints;

const areTooMany = (rows: readonly { start: number | null }[]): boolean =>
  rows.length > ROWS_MAX || rows.filter(({ start }) => start !== null).length > LIMITS.metricPoints;

/** Returns the counts in order of time, the whole period first; null when there are too many. */
export async function countConversations(db: Db, period: MetricsPeriod): Promise<ConversationCount[] | null> {
  const { project, fromMs, toMs, bucketMs, offsets, agents, source } = period;
  const where = sql.join(
    [
      sql`project = ${project} AND traces > 0`,
      sql`started_ns >= ${fromMs}::bigint * 1000000 AND started_ns < ${Math.ceil(toMs)}::bigint * 1000000`,
      ...(source === undefined ? [] : [sql`source = ${source}`]),
      ...(agents === undefined ? [] : [sql`agent IN (${sql.join(agents)})`]),
    ],
    sql` AND `,
  );
  const start = sql.raw(`(${localMs("(started_ns / 1000000)", offsets)} / ${integer(bucketMs)}) * ${bucketMs}`);
  const hasErrors = sql.raw(`CASE WHEN ${IS_READ} THEN errors > 0 ELSE has_errors END`);
  const { rows } = await sql<Bucketed<ConversationCount>>`
    SELECT source, agent, start, count(*)::integer AS conversations, (count(*) FILTER (WHERE failed))::integer AS errors
    FROM (SELECT source, agent, ${start} AS start, ${hasErrors} AS failed FROM conversations WHERE ${where}) c
    GROUP BY GROUPING SETS ((source, agent), (source, agent, start))
    ORDER BY start NULLS FIRST LIMIT ${ROWS_MAX + 1}`.execute(db);
  if (areTooMany(rows)) return null;
  return rows.map(({ start: startMs, ...row }) => ({ ...row, startMs: utcStart(startMs, period) }));
}

/** Returns the local time of a moment in SQL. */
function localMs(timeMs: string, offsets: MetricsPeriod["offsets"]): string {
  if (offsets === undefined) return timeMs;
  const cases = offsets.map(({ beforeMs, offsetMs }) =>
    beforeMs === Number.POSITIVE_INFINITY ? `ELSE ${offsetMs}` : `WHEN ${timeMs} < ${beforeMs} THEN ${offsetMs}`,
  );
  const offset = cases.length === 1 ? `${offsets[0]!.offsetMs}` : `CASE ${cases.join(" ")} END`;
  return `(${timeMs} + ${offset})`;
}

function utcStart(start: number | null, { offsets }: MetricsPeriod): number | null {
  return start === null || offsets === undefined ? start : utcOf(offsets, start);
}
