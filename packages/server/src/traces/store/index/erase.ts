import { sql } from "kysely";
import type { Db } from "../../../stores/relational.ts";
import { indexDialectOf, nowMsOf } from "./dialect.ts";
import { removeTurns } from "./turns.ts";
import { changeConversations, type ConversationKey, isOneOf, isOneOfTraces, type TraceKey } from "./writes.ts";

/**
 * Removes those of the conversations that have no traces. Removes what was derived from the others, which are then derived again
 * from their remaining traces.
 */
export async function forgetReadings(tx: Db, keys: readonly ConversationKey[]): Promise<void> {
  await changeConversations(tx, keys);
  await indexDialectOf(tx).search.remove(tx, keys);
  await removeTurns(tx, keys);
  await sql`DELETE FROM conversations WHERE ${isOneOf(tx, keys)} AND traces = 0`.execute(tx);
  await sql`
    UPDATE conversations SET reading = NULL, read_change = NULL, preview = NULL, preview_role = NULL,
      reported_successful = NULL, reported_ending = NULL, reported_summary = NULL, transcript = NULL, names = NULL,
      interruptions = NULL, quality = NULL, tools = NULL, due_ms = ${nowMsOf(tx)}, lease = NULL, leased_until_ms = 0
    WHERE ${isOneOf(tx, keys)}`.execute(tx);
}

export const deleteTraces = (tx: Db, traces: readonly TraceKey[]) =>
  sql`DELETE FROM traces WHERE ${isOneOfTraces(tx, traces)}`.execute(tx);

export async function tracesBegunBefore(
  db: Db,
  timeMs: number,
  project?: number,
): Promise<(ConversationKey & TraceKey)[]> {
  const { rows } = await sql<ConversationKey & TraceKey>`
    SELECT project, key, trace_id AS "traceId" FROM traces WHERE ${begunBefore(timeMs, project)}`.execute(db);
  return rows;
}

export const begunBefore = (timeMs: number, project: number | undefined) =>
  project === undefined
    ? sql`received_first_ms < ${timeMs}`
    : sql`project = ${project} AND received_first_ms < ${timeMs}`;
