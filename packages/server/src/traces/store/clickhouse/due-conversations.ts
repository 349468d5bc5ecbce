import { sql } from "kysely";
import type { Db } from "../../../stores/relational.ts";
import { postgresNowMs as NOW_MS } from "../../../stores/dialect.ts";
import { leasesOn } from "../../../stores/lease.ts";
import type { ConversationKey } from "./index-writes.ts";

/** A process that has not stored its readings by then has ended. */
const LEASE_MS = 60_000;
const RETRY_MS = 5_000;

/** A conversation that this process reads now; `change` is the newest one that the reading covers. */
export type LeasedConversation = ConversationKey & {
  lease: number;
  change: number;
  /** For how long it was due. */
  waitedMs: number;
  traces: number;
  source: string | null;
  agent: string | null;
  name: string | null;
  rootName: string | null;
  rootEnded: boolean;
  endedNs: bigint | null;
  lastReceivedMs: number;
  receivedSpans: number;
  hasEnded: boolean;
  hasWhollyEnded: boolean;
};

/** Columns that are not numbers in JavaScript yet. */
type Row = Omit<LeasedConversation, "endedNs"> & { endedNs: string | null };

/**
 * Takes conversations that are due, the longest waiting ones first, so that no other process reads them meanwhile; `all` also
 * takes those that are not due yet. Conversations that only a new mapping reads again come last.
 */
export async function takeDue(db: Db, limit: number, all: boolean): Promise<LeasedConversation[]> {
  const { until, isFree } = leasesOn(db);
  const isDue = all ? sql`due_ms IS NOT NULL` : sql`due_ms <= ${NOW_MS}`;
  const { rows } = await sql<Row>`
    UPDATE conversations c SET lease = nextval('trace_leases'), leased_until_ms = ${until(LEASE_MS)}
    FROM (
      SELECT project, key FROM conversations WHERE ${isDue} AND ${isFree("leased_until_ms")}
      ORDER BY reread, due_ms LIMIT ${limit} FOR UPDATE SKIP LOCKED) d
    WHERE c.project = d.project AND c.key = d.key
    RETURNING c.project, c.key, lease, change, ${NOW_MS} - due_ms AS "waitedMs", traces, source, agent,
      conversation AS name, root_name AS "rootName", root_end_ns IS NOT NULL AS "rootEnded",
      ended_ns::text AS "endedNs", received_last_ms AS "lastReceivedMs", received_spans AS "receivedSpans",
      has_ended AS "hasEnded", has_wholly_ended AS "hasWhollyEnded"`.execute(db);
  return rows.map((row) => ({ ...row, endedNs: row.endedNs === null ? null : BigInt(row.endedNs) }));
}

/** Gives conversations back that were not read; after a pause any process may take them, behind others that are due. */
export async function giveBack(db: Db, leased: readonly LeasedConversation[]): Promise<void> {
  if (leased.length === 0) return;
  await sql`UPDATE conversations SET leased_until_ms = ${leasesOn(db).until(RETRY_MS)} WHERE lease IN (${sql.join(leased.map(({ lease }) => lease))})`.execute(
    db,
  );
}

/** Returns whether any conversation has spans outside its reading, or is to be read again. */
export async function isAnyUnread(db: Db): Promise<boolean> {
  const { rows } = await sql`SELECT 1 FROM conversations WHERE due_ms IS NOT NULL LIMIT 1`.execute(db);
  return rows.length > 0;
}

/** Returns the earliest traces of each conversation, at most `limit` of each, in the order of their start. */
export async function tracesOf(
  db: Db,
  keys: readonly ConversationKey[],
  limit: number,
): Promise<(ConversationKey & { traceId: string })[]> {
  const { rows } = await sql<ConversationKey & { traceId: string }>`
    SELECT k.project, k.key, t.trace_id AS "traceId"
    FROM json_to_recordset(${JSON.stringify(keys)}::json) AS k(project integer, key text)
    CROSS JOIN LATERAL (
      SELECT trace_id, started_ns FROM traces WHERE project = k.project AND key = k.key COLLATE "C"
      ORDER BY started_ns, trace_id LIMIT ${limit}) t
    ORDER BY t.started_ns, t.trace_id`.execute(db);
  return rows;
}
