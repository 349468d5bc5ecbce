import { type RawBuilder, sql } from "kysely";
import type { Db } from "../../../stores/relational.ts";
import { nowMsOf } from "./dialect.ts";

/** A conversation without new spans for this time is due; exporters send every 5 seconds. */
const QUIET_MS = 10_000;
/** A conversation is due when it has this many times the spans of its reading: all its readings cost a multiple of the last one. */
const GROWTH = 2;

/**
 * Returns the time from which a conversation with spans outside its reading is due, in the names of the table's columns. One that
 * still grows is due when it was never read, has doubled, has ended, is quiet or is watched, because each reading costs as much as
 * the whole conversation.
 */
export function dueMsOf(db: Db): RawBuilder<number> {
  const nowMs = nowMsOf(db);
  return sql`CASE
    WHEN reading IS NULL OR traces = 0 OR received_spans >= ${sql.lit(GROWTH)} * read_received_spans
      OR has_ended AND NOT read_ended OR has_wholly_ended AND NOT read_wholly_ended
      OR watched_until_ms > ${nowMs}
    THEN CASE WHEN due_ms < ${nowMs} THEN due_ms ELSE ${nowMs} END
    ELSE ${nowMs} + ${sql.lit(QUIET_MS)} END`;
}
