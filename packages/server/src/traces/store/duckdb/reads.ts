import type { TraceSummaryRow } from "../../summary-row.ts";
import { SERVICE } from "../../vocabulary/platform-a/names.ts";
import type { JournalVersion } from "../journal-version.ts";
import { indexOf, type SpanIndex } from "../span-index.ts";
import { type DatabaseConnection, idLiteral, integer, rowsOf } from "./database.ts";
import { readIndex } from "./spans.ts";
import { findConversation } from "./summaries.ts";

/** The rows of a conversation's spans as they cross threads; without them when there are too many. */
export type ConversationIndex = { summary: TraceSummaryRow } & (
  | { index: SpanIndex; truncated: boolean; journalVersion: number }
  | { index: null }
);

/** Returns the project's conversation that holds the trace, with the rows of all its traces, or null. */
export async function findIndex(
  read: DatabaseConnection,
  journalVersion: JournalVersion,
  days: Set<number>,
  project: number,
  traceId: string,
  spansMax: number,
): Promise<ConversationIndex | null> {
  const version = Atomics.load(journalVersion, 0);
  const conversation = await findConversation(read, project, traceId);
  if (conversation === null) return null;
  const { summary, extents } = conversation;
  if (summary.spans > spansMax) return { summary, index: null };
  const { rows, truncated } = await readIndex(read, days, extents, { byStart: true });
  return {
    summary,
    index: indexOf(rows),
    truncated: truncated || extents.length < summary.traces,
    journalVersion: version,
  };
}

/** Returns the project's conversation that holds the trace, or null. */
export async function findSummary(
  read: DatabaseConnection,
  project: number,
  traceId: string,
): Promise<TraceSummaryRow | null> {
  return (await findConversation(read, project, traceId))?.summary ?? null;
}

/** Returns which of the projects, by their numbers, have the trace. */
export async function findProjects(
  read: DatabaseConnection,
  projects: readonly number[],
  traceId: string,
): Promise<number[]> {
  const rows = await rowsOf<{ project: number }>(
    read,
    `SELECT DISTINCT project::INTEGER AS project FROM traces
     WHERE project IN (${projects.map(integer).join(", ")}) AND trace_id = ${idLiteral(traceId, "UHUGEINT")}`,
  );
  return rows.map(({ project }) => project);
}

/** Returns when the last span of a production conversation came from a worker, not from an import, or null. */
export async function lastSentMs(read: DatabaseConnection, project: number): Promise<number | null> {
  const [row] = await rowsOf<{ last: bigint | null }>(
    read,
    `SELECT max(received_last_ms) AS last FROM traces
     WHERE project = ${integer(project)} AND source = 'production' AND service IS DISTINCT FROM '${SERVICE}'`,
  );
  return row!.last === null ? null : Number(row!.last);
}
