import { type RawBuilder, sql } from "kysely";
import type { Db } from "../../../stores/relational.ts";
import { nowMsOf } from "./dialect.ts";

/** A conversation without new spans for this time is due. Exporters send every 5 seconds. */
export const QUIET_MS = 10_000;
/**
 * A conversation is due if its number of spans has grown by this factor since its reading. The cost of all its readings together is
 * then at most a multiple of the cost of the last reading.
 */
const GROWTH = 2;

/** Names of the tables with the conversation's new sums and its new reading. Defaults: its row in `conversations`. */
type NewParts = { sums?: string; reading?: string };

/**
 * Returns SQL for the time from which a conversation is due, if its reading does not include all spans. The cost of each reading
 * grows with the whole conversation. Therefore a conversation that gets new spans is due only if it was never read, has doubled, has
 * ended, is quiet or is watched.
 */
export function dueMsOf(db: Db, { sums = "conversations", reading }: NewParts): RawBuilder<number> {
  const nowMs = nowMsOf(db);
  const of = (column: string) => sql.ref(`${sums}.${column}`);
  const read = (column: string) => sql.ref(`${reading ?? "conversations"}.${column}`);
  const isUnread = reading === undefined ? sql`reading IS NULL` : sql`false`;
  return sql`CASE
    WHEN ${isUnread} OR coalesce(${of("traces")}, 0) = 0 OR ${of("received_spans")} >= ${sql.lit(GROWTH)} * ${read("read_received_spans")}
      OR ${of("has_ended")} AND NOT ${read("read_ended")} OR ${of("has_wholly_ended")} AND NOT ${read("read_wholly_ended")}
      OR watched_until_ms > ${nowMs}
    THEN CASE WHEN due_ms < ${nowMs} THEN due_ms ELSE ${nowMs} END
    ELSE ${nowMs} + ${sql.lit(QUIET_MS)} END`;
}
