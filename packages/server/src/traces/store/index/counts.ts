import { type RawBuilder, sql } from "kysely";
import type { Db } from "../../../stores/relational.ts";
import { areTooMany, bucketOf, ROWS_MAX, utcStart } from "../../metric-buckets.ts";
import type { MetricsPeriod } from "../../metric-rules.ts";
import type { ConversationCount } from "../trace-store.ts";
import { IS_READ } from "./sort-keys.ts";

type Row = Omit<ConversationCount, "startMs"> & { start: number | null };

const HAS_ERRORS = sql.raw(`CASE WHEN ${IS_READ} THEN errors > 0 ELSE has_errors END`);

/** Returns the counts in order of time, the whole period first; null when there are too many. */
export async function countConversations(db: Db, period: MetricsPeriod): Promise<ConversationCount[] | null> {
  const { project, fromMs, toMs, agents, source } = period;
  const where = sql.join(
    [
      sql`project = ${project} AND traces > 0`,
      sql`started_ns >= CAST(${String(fromMs)} AS BIGINT) * 1000000`,
      sql`started_ns < CAST(${String(Math.ceil(toMs))} AS BIGINT) * 1000000`,
      ...(source === undefined ? [] : [sql`source = ${source}`]),
      ...(agents === undefined ? [] : [sql`agent IN (${sql.join(agents)})`]),
    ],
    sql` AND `,
  );
  const bucket = bucketOf("(started_ns / 1000000)", period, (value, by) => `(${value} / ${by})`);

  async function grouped(start: RawBuilder<unknown>): Promise<Row[]> {
    const { rows } = await sql<Row>`
      SELECT source, agent, start, count(*) AS conversations, count(*) FILTER (WHERE failed) AS errors
      FROM (SELECT source, agent, ${start} AS start, ${HAS_ERRORS} AS failed FROM conversations WHERE ${where}) AS c
      GROUP BY source, agent, start ORDER BY start LIMIT ${ROWS_MAX + 1}`.execute(db);
    return rows;
  }

  const rows = [...(await grouped(sql`CAST(NULL AS BIGINT)`)), ...(await grouped(sql.raw(bucket)))];
  if (areTooMany(rows)) return null;
  return rows.map(({ start, ...row }) => ({ ...row, startMs: utcStart(start, period) }));
}
