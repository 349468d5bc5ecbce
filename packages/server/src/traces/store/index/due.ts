import { type RawBuilder, sql } from "kysely";
import type { Db } from "../../../stores/relational.ts";
import { nowMsOf } from "./dialect.ts";

/** A conversation without new spans for this time is due. Exporters send every 5 seconds. */
export const QUIET_MS = 10_000;
/**
 * A conversation is due if its number of spans has grown by this factor since it was last derived. To derive it every time then
 * costs at most a multiple of the last time.
 */
const GROWTH = 2;

/** Names of the tables with the conversation's new sums and with what was derived last. Defaults: its row in `conversations`. */
type NewParts = { sums?: string; reading?: string };

/**
 * Returns SQL for the time from which a conversation must be derived again, if some of its spans are newer than what was derived.
 * Each time, all of its spans are read. Therefore a conversation that gets new spans is due only if it was never derived, has twice
 * as many spans, has ended, is quiet, or is watched by a client.
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
