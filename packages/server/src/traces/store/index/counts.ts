import { type RawBuilder, sql } from "kysely";
import { ofEngine } from "../../../stores/dialect.ts";
import type { Db } from "../../../stores/relational.ts";
import { areTooMany, areWhole, bucketOf, QUARTER_MS, ROWS_MAX, utcStart } from "../../metrics/metric-buckets.ts";
import type { MetricsPeriod } from "../../metrics/metric-rules.ts";
import type {
  ConversationCount,
  CountedConversation,
  CountedRequest,
  CountedThing,
  EndingCount,
  EndingsPeriod,
} from "../trace-store.ts";
import { HAS_ERRORS } from "./quarter-counts.ts";

type Row = Omit<ConversationCount, "startMs"> & { start: number | null };
type Condition = RawBuilder<unknown>;

export async function countConversations(db: Db, period: MetricsPeriod): Promise<ConversationCount[] | null> {
  const byVersion = period.byVersion === true;
  const channel = period.byChannel === true ? sql`channel,` : sql``;
  const names = sql`${byVersion ? sql`agent_version AS version,` : sql``} ${channel}`;
  const groups = sql`${byVersion ? sql`agent_version,` : sql``} ${channel}`;
  const counted = ofEngine(db, { sqlite: inQuarters, postgres: oneByOne })(period, scopeOf(period));

  async function grouped(start: Condition): Promise<Row[]> {
    const { rows } = await sql<Row>`
      SELECT source, agent, ${names} start, sum(conversations) AS conversations, sum(errors) AS errors
      FROM (SELECT source, agent, agent_version, channel, ${start} AS start, conversations, errors FROM (${counted}) AS c) AS b
      GROUP BY source, agent, ${groups} start ORDER BY start LIMIT ${ROWS_MAX + 1}`.execute(db);
    return rows;
  }

  const bucket = bucketStart(period);
  const rows = [...(await grouped(sql`CAST(NULL AS BIGINT)`)), ...(await grouped(sql.raw(bucket)))];
  if (areTooMany(rows)) return null;
  return rows.map(({ start, ...row }) => ({ ...row, startMs: utcStart(start, period) }));
}

export async function countEndings(db: Db, { ending, ...period }: EndingsPeriod): Promise<EndingCount[] | null> {
  const where = [...scopeOf(period), ...startedIn(period), sql`reported_ending IS NOT NULL`];
  const { rows } = await sql<{ agent: string | null; start: number; known: number; ended: number }>`
    SELECT agent, ${sql.raw(bucketStart(period))} AS start, count(*) AS known, sum(ended) AS ended FROM (
      SELECT agent, started_ns / 1000000 AS ms, CASE WHEN reported_ending = ${ending} THEN 1 ELSE 0 END AS ended
      FROM conversations WHERE ${sql.join(where, sql` AND `)}) AS c
    GROUP BY agent, start ORDER BY start LIMIT ${ROWS_MAX + 1}`.execute(db);
  if (areTooMany(rows)) return null;
  return rows.map(({ start, ...row }) => ({ ...row, startMs: utcStart(start, period) }));
}

/** The things whose conversations the index knows. The others are known where the samples are. */
export type IndexedThing = Exclude<CountedThing, { kind: "measure" | "tool" | "occurrence" }>;
export type IndexedRequest = CountedRequest & { counted: IndexedThing };

export const isIndexed = (request: CountedRequest): request is IndexedRequest =>
  request.counted.kind !== "measure" && request.counted.kind !== "tool" && request.counted.kind !== "occurrence";

/** Returns the conversations that `countConversations` or `countEndings` counts, newest first. */
export async function listCounted(db: Db, request: IndexedRequest): Promise<CountedConversation[]> {
  const { agent, counted, limit } = request;
  const ofAgent = agent === null ? sql`agent IS NULL` : sql`agent = ${agent}`;
  const where = [...scopeOf({ ...request, agents: undefined }), ...startedIn(request), ofAgent, isCounted(counted)];
  const { rows } = await sql<{ traceId: string }>`
    SELECT trace_id AS "traceId" FROM conversations WHERE ${sql.join(where, sql` AND `)}
    ORDER BY started_ns DESC, trace_id LIMIT ${limit}`.execute(db);
  return rows.map(({ traceId }) => ({ traceId, turn: null, value: null }));
}

function isCounted(counted: IndexedThing): Condition {
  switch (counted.kind) {
    case "conversations":
      return sql`1 = 1`;
    case "errors":
      return sql`(CASE WHEN ${sql.raw(HAS_ERRORS)} THEN 1 ELSE 0 END) = ${counted.failed ? 1 : 0}`;
    case "ending":
      return counted.ended ? sql`reported_ending = ${counted.ending}` : sql`reported_ending <> ${counted.ending}`;
  }
}

/** Returns the trace ids of the conversations with these keys. */
export async function traceIdsOf(db: Db, project: number, keys: readonly string[]): Promise<Map<string, string>> {
  if (keys.length === 0) return new Map();
  const { rows } = await sql<{ key: string; traceId: string }>`
    SELECT key, trace_id AS "traceId" FROM conversations
    WHERE project = ${project} AND traces > 0 AND key IN (${sql.join(keys)})`.execute(db);
  return new Map(rows.map(({ key, traceId }) => [key, traceId]));
}

const bucketStart = (period: MetricsPeriod): string => bucketOf("ms", period, (value, by) => `(${value} / ${by})`);

type Scope = Pick<MetricsPeriod, "project" | "agents" | "versions" | "channels" | "source">;

const scopeOf = ({ project, agents, versions, channels, source }: Scope): Condition[] => [
  sql`project = ${project}`,
  ...(source === undefined ? [] : [sql`source = ${source}`]),
  ...(agents === undefined ? [] : [sql`agent IN (${sql.join(agents)})`]),
  ...(versions === undefined ? [] : [sql`agent_version IN (${sql.join(versions)})`]),
  ...(channels === undefined ? [] : [sql`channel IN (${sql.join(channels)})`]),
];

const startedIn = ({ fromMs, toMs }: Pick<MetricsPeriod, "fromMs" | "toMs">): Condition[] => [
  sql`traces > 0`,
  sql`started_ns >= CAST(${String(fromMs)} AS BIGINT) * 1000000`,
  sql`started_ns < CAST(${String(Math.ceil(toMs))} AS BIGINT) * 1000000`,
];

/** Returns the query for the conversations that started in a period, with one row for each and its start in Unix milliseconds. */
function oneByOne(period: Pick<MetricsPeriod, "fromMs" | "toMs">, where: readonly Condition[]): Condition {
  return sql`
    SELECT source, agent, agent_version, channel, started_ns / 1000000 AS ms, 1 AS conversations, CASE WHEN ${sql.raw(HAS_ERRORS)} THEN 1 ELSE 0 END AS errors
    FROM conversations WHERE ${sql.join([...where, ...startedIn(period)], sql` AND `)}`;
}

/**
 * Returns a query whose rows have the same sums as the rows of `oneByOne`. It reads fewer rows: the stored counts of whole quarters
 * of an hour, and single conversations before and after these quarters.
 */
function inQuarters(period: MetricsPeriod, where: readonly Condition[]): Condition {
  const { fromMs, toMs, bucketMs, offsets = [] } = period;
  const [first, end] = [Math.ceil(fromMs / QUARTER_MS), Math.floor(toMs / QUARTER_MS)];
  if (bucketMs % QUARTER_MS !== 0 || !areWhole(offsets, QUARTER_MS) || first >= end) return oneByOne(period, where);
  const counts = sql`
    SELECT source, agent, agent_version, channel, quarter * ${sql.lit(QUARTER_MS)} AS ms, conversations, errors FROM (
      SELECT project, source, CASE WHEN has_agent THEN agent END AS agent, nullif(agent_version, '') AS agent_version,
        nullif(channel, '') AS channel, quarter, conversations, errors FROM quarter_counts
      WHERE quarter >= ${first} AND quarter < ${end}) AS q
    WHERE ${sql.join(where, sql` AND `)}`;
  const before = oneByOne({ fromMs, toMs: first * QUARTER_MS }, where);
  const after = oneByOne({ fromMs: end * QUARTER_MS, toMs }, where);
  return sql.join([counts, before, after], sql` UNION ALL `);
}
