import { type Connection, rowsOf } from "../../stores/analytics.ts";
import type { TraceSummaryRow } from "../summary-row.ts";
import { SERVICE } from "../vocabulary/platform-a/names.ts";
import type { Bodies } from "./bodies.ts";
import { integer } from "./integer.ts";
import { readSpans, type SpanRow } from "./spans.ts";
import { findConversation } from "./summaries.ts";

export type TraceRows = { summary: TraceSummaryRow; rows: SpanRow[]; truncated: boolean };

/** The conversation that the trace is of, with the spans of all its traces as rows, or null; a project sees its own only. */
export async function readTrace(
  read: Connection,
  bodies: Bodies,
  days: Set<number>,
  project: number,
  traceId: string,
): Promise<TraceRows | null> {
  const found = await findConversation(read, project, traceId);
  if (found === null) return null;
  const { summary, places } = found;
  const { rows, truncated } = await readSpans(read, bodies, days, places, { byStart: true });
  return { summary, rows, truncated: truncated || places.length < summary.traces };
}

/** The same without the spans. */
export async function readSummary(read: Connection, project: number, traceId: string): Promise<TraceSummaryRow | null> {
  return (await findConversation(read, project, traceId))?.summary ?? null;
}

/** When the last span of a production conversation came that a worker sent by itself, or null when there is none. */
export async function lastSent(read: Connection, project: number): Promise<number | null> {
  const [row] = await rowsOf<{ last: bigint | null }>(
    read,
    `SELECT max(received_last_ms) AS last FROM traces
     WHERE project = ${integer(project)} AND source = 'production' AND service IS DISTINCT FROM '${SERVICE}'`,
  );
  return row!.last === null ? null : Number(row!.last);
}
