import { type RawBuilder, sql } from "kysely";
import type { Db } from "../../../stores/relational.ts";
import { nowMsOf } from "./dialect.ts";

/** A conversation without new spans for this time is due; exporters send every 5 seconds. */
export const QUIET_MS = 10_000;
/** A conversation is due when it has this many times the spans of its reading: all its readings cost a multiple of the last one. */
const GROWTH = 2;

/**
 * Returns the time from which a conversation with spans outside its reading is due, in the names of the table's columns; those of its
 * sums may be in another table. One that still grows is due when it was never read, has doubled, has ended, is quiet or is watched,
 * because each reading costs as much as the whole conversation.
 */
export function dueMsOf(db: Db, sums = "conversations"): RawBuilder<number> {
  const nowMs = nowMsOf(db);
  const of = (column: string) => sql.ref(`${sums}.${column}`);
  return sql`CASE
    WHEN reading IS NULL OR coalesce(${of("traces")}, 0) = 0 OR ${of("received_spans")} >= ${sql.lit(GROWTH)} * read_received_spans
      OR ${of("has_ended")} AND NOT read_ended OR ${of("has_wholly_ended")} AND NOT read_wholly_ended
      OR watched_until_ms > ${nowMs}
    THEN CASE WHEN due_ms < ${nowMs} THEN due_ms ELSE ${nowMs} END
    ELSE ${nowMs} + ${sql.lit(QUIET_MS)} END`;
}
