import { type RawBuilder, sql } from "kysely";
import type { Db } from "../../../stores/relational.ts";
import { leasesOn } from "../../../stores/lease.ts";
import { indexDialectOf, nowMsOf } from "./dialect.ts";
import { QUIET_MS } from "./due.ts";
import { type ConversationKey, isOneOf, keysTable } from "./writes.ts";

/** Duration of a lease. A process that has not stored the derived conversations after this time is considered dead. */
const LEASE_MS = 60_000;
const RETRY_MS = 5_000;

/** The derived conversation will include the changes up to number `change`. */
export type LeasedConversation = ConversationKey & {
  lease: number;
  change: number;
  /** Milliseconds for which the conversation had been due. */
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
  /** Null if the project names no attribute. */
  versionAttribute: string | null;
};

/** All rows of one call share a lease. */
type Row = Omit<LeasedConversation, "endedNs" | "lease" | "rootEnded" | "hasEnded" | "hasWhollyEnded"> & {
  endedNs: string | null;
} & Record<"rootEnded" | "hasEnded" | "hasWhollyEnded", boolean | 0 | 1>;

/**
 * Leases conversations that are due, longest waiting first. Other processes do not derive these conversations until the lease ends.
 * With `all`, also leases conversations that are not due yet. Conversations that are derived again only because of new vocabularies
 * come last.
 */
export async function takeDue(db: Db, limit: number, all: boolean): Promise<LeasedConversation[]> {
  const { until, isFree } = leasesOn(db);
  const nowMs = nowMsOf(db);
  // Times that are too far in the future were stored before the clock was set back.
  const isDue = all
    ? sql`due_ms IS NOT NULL`
    : sql`due_ms IS NOT NULL AND (due_ms <= ${nowMs} OR due_ms > ${nowMs} + ${sql.lit(QUIET_MS)})`;
  const isFreeAgain = sql`(${isFree("leased_until_ms")} OR leased_until_ms > ${nowMs} + ${sql.lit(LEASE_MS)})`;
  const isWaiting = sql`${isDue} AND ${isFreeAgain}`;
  if (!(await isAny(db, isWaiting))) return [];
  const lease = await indexDialectOf(db).nextLease(db);
  const { rows } = await sql<Row>`
    UPDATE conversations SET lease = ${lease}, leased_until_ms = ${until(LEASE_MS)}
    FROM (
      SELECT project AS due_project, key AS due_key FROM conversations WHERE ${isWaiting}
      ORDER BY reread, due_ms LIMIT ${limit} ${indexDialectOf(db).forUpdateOfFree}) AS d
    WHERE project = due_project AND key = due_key
    RETURNING project, key, change, ${nowMs} - due_ms AS "waitedMs", traces, source, agent,
      conversation AS name, root_name AS "rootName", root_end_ns IS NOT NULL AS "rootEnded",
      CAST(ended_ns AS TEXT) AS "endedNs", received_last_ms AS "lastReceivedMs", received_spans AS "receivedSpans",
      has_ended AS "hasEnded", has_wholly_ended AS "hasWhollyEnded",
      (SELECT attribute FROM version_attributes AS v WHERE v.project = conversations.project) AS "versionAttribute"`.execute(
    db,
  );
  return rows.map((row) => ({
    ...row,
    lease,
    endedNs: row.endedNs === null ? null : BigInt(row.endedNs),
    rootEnded: Boolean(row.rootEnded),
    hasEnded: Boolean(row.hasEnded),
    hasWhollyEnded: Boolean(row.hasWhollyEnded),
  }));
}

/** For conversations that could not be derived: shortens their leases to `RETRY_MS`. */
export async function giveBack(db: Db, leased: readonly LeasedConversation[]): Promise<void> {
  if (leased.length === 0) return;
  await sql`
    UPDATE conversations SET leased_until_ms = ${leasesOn(db).until(RETRY_MS)}
    WHERE ${isOneOf(db, leased)} AND lease = ${leased[0]!.lease}`.execute(db);
}

export const isAnyUnread = (db: Db): Promise<boolean> => isAny(db, sql`due_ms IS NOT NULL`);

async function isAny(db: Db, condition: RawBuilder<unknown>): Promise<boolean> {
  const { rows } = await sql`SELECT 1 FROM conversations WHERE ${condition} LIMIT 1`.execute(db);
  return rows.length > 0;
}

/** Returns the earliest traces of each conversation, at most `limit` each, in the order of their start. */
export async function tracesOf(
  db: Db,
  keys: readonly ConversationKey[],
  limit: number,
): Promise<(ConversationKey & { traceId: string })[]> {
  const { rows } = await sql<ConversationKey & { traceId: string }>`
    SELECT project, key, trace_id AS "traceId" FROM (
      SELECT t.project, t.key, t.trace_id, t.started_ns,
        row_number() OVER (PARTITION BY t.project, t.key ORDER BY t.started_ns, t.trace_id) AS place
      FROM ${keysTable(db, keys)} ${indexDialectOf(db).lookUp} traces AS t ON t.project = k.project AND t.key = k.key) AS t
    WHERE place <= ${limit} ORDER BY started_ns, trace_id`.execute(db);
  return rows;
}
