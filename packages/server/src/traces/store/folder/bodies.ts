import { sql } from "kysely";
import type { Db } from "../../../stores/relational.ts";
import { indexDialectOf } from "../index/dialect.ts";
import type { CountSpans, SpanCounts } from "../index/summaries.ts";
import { type ConversationKey, isOneOfTraces, keysTable, type TraceKey } from "../index/writes.ts";
import type { SpanBatch } from "../../span-batch.ts";
import type { TraceBody } from "../body-rows.ts";

const COLUMNS = {
  project: "integer",
  trace_id: "text",
  segment: "bigint",
  position: "bigint",
  received_ms: "bigint",
  spans: "integer",
} as const;

export type BodyRow = Omit<Record<keyof typeof COLUMNS, number>, "trace_id"> & { trace_id: string };

/** The spans of a large body may be in several batches. */
export function addBodyRows(bodies: Map<string, BodyRow>, batch: SpanBatch): void {
  const { columns } = batch;
  for (let row = 0; row < batch.rows; row++) {
    const [project, traceId] = [columns.project[row]!, batch.traceIdOf(row)];
    const [segment, position] = [columns.segment[row]!, columns.position[row]!];
    const key = `${project} ${traceId} ${segment} ${position}`;
    const body = bodies.get(key);
    if (body !== undefined) body.spans++;
    else
      bodies.set(key, {
        project,
        trace_id: traceId,
        segment,
        position,
        received_ms: columns.received_ms[row]!,
        spans: 1,
      });
  }
}

export async function addBodies(tx: Db, bodies: ReadonlyMap<string, BodyRow>): Promise<void> {
  const names = sql.raw(Object.keys(COLUMNS).join(", "));
  await sql`
    INSERT INTO bodies (${names}) SELECT ${names} FROM ${indexDialectOf(tx).table("b", COLUMNS, [...bodies.values()])}
    WHERE true ORDER BY project, trace_id
    ON CONFLICT DO UPDATE SET spans = bodies.spans + excluded.spans`.execute(tx);
}

const BODY = sql.raw(
  `b.project, b.trace_id AS "traceId", b.segment, b.position, b.spans, b.received_ms AS "receivedMs"`,
);

export const BODIES_MAX = 100_000;

/** In the order of the journal. */
export async function bodiesOf(db: Db, traces: readonly TraceKey[], most?: number): Promise<TraceBody[]> {
  const limit = most === undefined ? sql`` : sql`LIMIT ${most}`;
  const { rows } = await sql<TraceBody>`
    SELECT ${BODY} FROM bodies AS b WHERE ${isOneOfTraces(db, traces)} ORDER BY segment, position ${limit}`.execute(db);
  return rows;
}

/**
 * Returns the bodies of conversations in the order of the journal. Reads only the earliest `tracesMax` traces of each conversation.
 * Returns at most `BODIES_MAX` bodies. Only a large conversation, which is derived alone, reaches that limit.
 */
export async function bodiesOfConversations(
  db: Db,
  keys: readonly ConversationKey[],
  tracesMax: number,
): Promise<(TraceBody & { key: string })[]> {
  const { lookUp } = indexDialectOf(db);
  const { rows } = await sql<TraceBody & { key: string }>`
    SELECT t.key, ${BODY} FROM (
      SELECT t.project, t.key, t.trace_id,
        row_number() OVER (PARTITION BY t.project, t.key ORDER BY t.started_ns, t.trace_id) AS place
      FROM ${keysTable(db, keys)} ${lookUp} traces AS t ON t.project = k.project AND t.key = k.key) AS t
    ${lookUp} bodies AS b ON b.project = t.project AND b.trace_id = t.trace_id
    WHERE place <= ${tracesMax} ORDER BY b.segment, b.position LIMIT ${BODIES_MAX}`.execute(db);
  return rows;
}

/** Until the conversation is derived, a repeated span counts repeatedly. */
export const createCountSpans =
  (db: Db): CountSpans =>
  async (traces) => {
    const { rows } = await sql<SpanCounts>`
      SELECT project, trace_id AS "traceId", spans, errors FROM traces WHERE ${isOneOfTraces(db, traces)}`.execute(db);
    return rows;
  };

export async function receivedSpans(
  db: Db,
  { project, key }: ConversationKey,
): Promise<{ spans: number; errors: number }> {
  const { rows } = await sql<{ spans: number; errors: number }>`
    SELECT coalesce(sum(spans), 0) AS spans, coalesce(sum(errors), 0) AS errors FROM traces WHERE project = ${project} AND key = ${key}`.execute(
    db,
  );
  return rows[0]!;
}
