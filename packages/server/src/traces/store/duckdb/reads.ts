import type { TraceSummaryRow } from "../../summary-row.ts";
import { SERVICE } from "../../vocabulary/platform-a/names.ts";
import type { BodyReader } from "../body-reader.ts";
import { type DatabaseConnection, idLiteral, integer, rowsOf } from "./database.ts";
import { readSpans, type SpanRow } from "./spans.ts";
import { findConversation } from "./summaries.ts";

/** A conversation with its spans as they cross threads. */
export type TraceRows = { summary: TraceSummaryRow; rows: SpanRow[]; truncated: boolean };

/** Returns the project's conversation that holds the trace, with the spans of all its traces, or null. */
export async function findTrace(
  read: DatabaseConnection,
  bodies: BodyReader,
  days: Set<number>,
  project: number,
  traceId: string,
): Promise<TraceRows | null> {
  const conversation = await findConversation(read, project, traceId);
  if (conversation === null) return null;
  const { summary, extents } = conversation;
  const { rows, truncated } = await readSpans(read, bodies, days, extents, { byStart: true });
  return { summary, rows, truncated: truncated || extents.length < summary.traces };
}

/** Returns the project's conversation that holds the trace, or null. */
export async function findSummary(
  read: DatabaseConnection,
  project: number,
  traceId: string,
): Promise<TraceSummaryRow | null> {
  return (await findConversation(read, project, traceId))?.summary ?? null;
}

/** Returns the numbers of the projects, of those given, that have the trace. */
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
