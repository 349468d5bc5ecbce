import { sql } from "kysely";
import { unavailable } from "../../../base/errors.ts";
import type { Db } from "../../../stores/relational.ts";
import type { TraceSummaryRow } from "../../summary-row.ts";
import { SERVICE } from "../../vocabulary/platform-a/names.ts";
import type { LastOfAgent, ReadConversations } from "../trace-store.ts";
import { indexDialectOf, nowMsOf } from "./dialect.ts";
import { type CountSpans, summariesOf, SUMMARY_COLUMNS, type SummaryColumns } from "./summaries.ts";

/** For this time after a request for a conversation, each new span makes the conversation due at once. */
const WATCHED_MS = 30_000;

const holds = (project: number, traceId: string) => sql<boolean>`project = ${project} AND key = (
  SELECT key FROM traces WHERE project = ${project} AND trace_id = ${traceId})`;

export async function findRow(db: Db, project: number, traceId: string): Promise<SummaryColumns | undefined> {
  const { rows } = await sql<SummaryColumns>`
    SELECT ${SUMMARY_COLUMNS} FROM conversations WHERE ${holds(project, traceId)} AND traces > 0`.execute(db);
  return rows[0];
}

export async function findSummary(
  countSpans: CountSpans,
  db: Db,
  project: number,
  traceId: string,
): Promise<TraceSummaryRow | null> {
  const row = await findRow(db, project, traceId);
  return row === undefined ? null : (await summariesOf(countSpans, db, [row]))[0]!;
}

/** Makes the conversation due at once if it has newer spans, and again after each new span in the next half minute. */
export async function watch(db: Db, project: number, traceId: string, wake: () => void): Promise<void> {
  const nowMs = nowMsOf(db);
  await sql`
    UPDATE conversations SET watched_until_ms = ${nowMs} + ${sql.lit(WATCHED_MS)},
      due_ms = CASE WHEN due_ms < ${nowMs} THEN due_ms ELSE ${nowMs} END
    WHERE ${holds(project, traceId)} AND due_ms IS NOT NULL`.execute(db);
  wake();
}

export async function findProjects(db: Db, projects: readonly number[], traceId: string): Promise<number[]> {
  if (projects.length === 0) return [];
  const { rows } = await sql<{ project: number }>`
    SELECT project FROM traces WHERE project IN (${sql.join(projects)}) AND trace_id = ${traceId}`.execute(db);
  return rows.map(({ project }) => project);
}

/** Ignores imported calls. */
export async function lastSentMs(db: Db, project: number): Promise<number | null> {
  const { rows } = await sql<{ last: number }>`
    SELECT received_last_ms AS last FROM conversations
    WHERE project = ${project} AND source = 'production' AND service IS DISTINCT FROM ${SERVICE} AND traces > 0
    ORDER BY received_last_ms DESC, trace_id DESC LIMIT 1`.execute(db);
  return rows[0]?.last ?? null;
}

/** Returns the arrival of the newest production conversation of each of these agents that has one. */
export async function lastOfAgents(db: Db, project: number, agents: readonly string[]): Promise<LastOfAgent[]> {
  const names = agents.map((agent) => ({ agent }));
  const { rows } = await sql<{ agent: string; last: number | null }>`
    SELECT agent, (
      SELECT received_last_ms FROM conversations
      WHERE project = ${project} AND agent = named.agent AND source = 'production' AND traces > 0
      ORDER BY started_ns DESC, trace_id DESC LIMIT 1) AS last
    FROM ${indexDialectOf(db).table("named", { agent: "text" }, names)}`.execute(db);
  return rows.flatMap(({ agent, last }) => (last === null ? [] : { agent, lastReceivedMs: last }));
}

export async function newestReading(db: Db): Promise<number> {
  const { rows } = await sql<{ reading: number }>`SELECT reading FROM trace_index`.execute(db);
  if (rows.length === 0) throw unavailable("The trace store is not ready; try again later.", 5);
  return rows[0]!.reading;
}

export async function readSince(
  countSpans: CountSpans,
  db: Db,
  project: number,
  after: bigint,
  limit: number,
): Promise<ReadConversations> {
  const last = BigInt(await newestReading(db));
  if (last <= after) return { rows: [], isMore: false, last };
  const { rows } = await sql<SummaryColumns>`
    SELECT ${SUMMARY_COLUMNS} FROM conversations
    WHERE project = ${project} AND reading > CAST(${String(after)} AS BIGINT) AND reading <= CAST(${String(last)} AS BIGINT)
      AND read_change = change AND traces > 0
    ORDER BY reading DESC LIMIT ${limit + 1}`.execute(db);
  const page = await summariesOf(countSpans, db, rows.slice(0, limit));
  return { rows: page, isMore: rows.length > limit, last };
}
