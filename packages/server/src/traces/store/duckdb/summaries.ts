import type { QualityTopic } from "../../quality.ts";
import type { LatencyRow, TraceSummaryRow } from "../../summary-row.ts";
import { type DatabaseConnection, idLiteral, integer, inTransaction, rowsOf } from "./database.ts";
import { CHANGED, groupsOf, hasKey, KEY, KEYED_TRACES, SUMS } from "./groups.ts";
import { hexId } from "../span-row.ts";
import { EXTENT_COLUMNS, type ExtentColumns, toExtent, TRACES_MAX } from "./spans.ts";

export type SummaryColumns = {
  trace_id: bigint;
  trace_ids: { items: bigint[] };
  traces: number;
  conversation: string | null;
  source: TraceSummaryRow["source"];
  agent: string | null;
  service: string | null;
  root_name: string | null;
  root_end_ns: bigint | null;
  started_ns: bigint;
  ended_ns: bigint | null;
  spans: number;
  errors: number;
  received_last_ms: bigint;
  is_read: boolean;
  turns: number | null;
  tool_calls: number | null;
  latency_n: number | null;
  latency_mean: number | null;
  latency_max: number | null;
  latency_p50: number | null;
  latency_p95: number | null;
  text_response_n: number | null;
  text_response_mean: number | null;
  text_response_max: number | null;
  text_response_p50: number | null;
  text_response_p95: number | null;
  interruptions: number | null;
  quality: string | null;
  preview: string | null;
};

export const SUMMARY_COLUMNS = `${SUMS}, is_read, turns, tool_calls, latency_n, latency_mean, latency_max, latency_p50,
  latency_p95, text_response_n, text_response_mean, text_response_max, text_response_p50, text_response_p95,
  interruptions, quality, preview`;

/** The query for conversations with the sums and counts of their last reading. */
export const AS_READ = "SELECT *, true AS is_read FROM conversations";

/** Returns the query for changed conversations: current sums, the texts and quality of the last reading, and no counts. */
const changedOf = (chosen: string) => `
  SELECT g.*, false AS is_read, c.interruptions, c.quality, c.preview, c.transcript, c.names, NULL::INTEGER AS turns, NULL::INTEGER AS tool_calls,
    NULL::INTEGER AS latency_n, NULL::DOUBLE AS latency_mean, NULL::DOUBLE AS latency_max, NULL::DOUBLE AS latency_p50,
    NULL::DOUBLE AS latency_p95, NULL::INTEGER AS text_response_n, NULL::DOUBLE AS text_response_mean,
    NULL::DOUBLE AS text_response_max, NULL::DOUBLE AS text_response_p50, NULL::DOUBLE AS text_response_p95
  FROM (${groupsOf(chosen)}) g LEFT JOIN conversations c ON c.reading = g.reading`;

/** More changed traces than these are selected by queries, because a list of their rows would be a long statement. */
const CHANGED_LISTED_MAX = 5_000;

/**
 * Returns the queries for a project's conversations; they are valid in the transaction of this call. `asRead` selects the
 * conversations that match their last reading; `changed` selects the others, because a trace changed, joined or left them. It
 * is null without changed conversations. Only `candidates` are selected as they were read. `outdated` has the readings that `asRead` leaves out, unless there are too many.
 */
export async function conversationsOf(read: DatabaseConnection, project: number, candidates = AS_READ) {
  const ofProject = `project = ${integer(project)}`;
  const asRead = `${candidates} WHERE ${ofProject}`;
  const { traces: count, first, last } = await changedRows(read, ofProject);
  if (first === null) return { asRead, outdated: [], changed: null };
  const changed = `FROM traces WHERE rowid BETWEEN ${first} AND ${last} AND ${ofProject} AND ${CHANGED}`;
  const affected = `
    ${KEYED_TRACES} WHERE ${ofProject} AND (key IN (SELECT ${KEY} ${changed}) OR reading IN (SELECT reading ${changed}))`;
  if (count > CHANGED_LISTED_MAX)
    return {
      asRead: `${asRead} AND reading NOT IN (SELECT reading FROM (${affected}) WHERE reading IS NOT NULL)`,
      outdated: [],
      changed: changedOf(affected),
    };
  // Two joins cost a fraction of one condition with OR, and both queries use their rows.
  const rows = await rowsOf<{ row: bigint; reading: bigint | null }>(
    read,
    `SELECT rowid AS row, reading FROM (SELECT rowid, reading, ${KEY} AS key FROM traces WHERE ${ofProject})
     SEMI JOIN (SELECT ${KEY} AS key ${changed}) USING (key)
     UNION SELECT rowid, reading FROM traces WHERE ${ofProject} AND reading IN (SELECT reading ${changed}) ORDER BY row`,
  );
  const outdated = [...new Set(rows.map(({ reading }) => reading).filter((reading) => reading !== null))];
  const numbers = rows.map(({ row }) => row);
  return {
    asRead: outdated.length === 0 ? asRead : `${asRead} AND ${isNoneOf(outdated)}`,
    outdated,
    changed: changedOf(`${KEYED_TRACES} WHERE rowid BETWEEN ${numbers[0]} AND ${numbers.at(-1)}
      AND rowid IN (SELECT unnest([${numbers.join(", ")}]))`),
  };
}

/** Returns the condition that a reading is not one of the outdated ones. */
export const isNoneOf = (outdated: readonly bigint[]) => `reading NOT IN (SELECT unnest([${outdated.join(", ")}]))`;

/** Returns the number of a project's changed traces, and their first and last row, null when no trace has changed. */
async function changedRows(read: DatabaseConnection, ofProject: string) {
  const [rows] = await rowsOf<{ traces: number; first: bigint | null; last: bigint | null }>(
    read,
    `SELECT count(*)::INTEGER AS traces, min(rowid) AS first, max(rowid) AS last
     FROM traces WHERE ${ofProject} AND ${CHANGED}`,
  );
  return rows!;
}

type TraceColumns = ExtentColumns & {
  reading: bigint | null;
  traces: number; // in the conversation
  changed: boolean; // whether any trace of the conversation has changed
};

/**
 * Returns the project's conversation that holds the trace, with the extents of its earliest traces, or null. The stored
 * reading is valid only while no trace has changed and the number of traces is the same.
 */
export async function findConversation(read: DatabaseConnection, project: number, traceId: string) {
  return inTransaction(read, async () => {
    const ofProject = `project = ${integer(project)}`;
    const [trace] = await rowsOf<{ key: string; reading: bigint | null; changed: boolean }>(
      read,
      `SELECT ${KEY} AS key, reading, ${CHANGED} AS changed FROM traces
       WHERE ${ofProject} AND trace_id = ${idLiteral(traceId, "UHUGEINT")}`,
    );
    if (trace === undefined) return null;
    const { key } = trace;
    const ofConversation = `${ofProject} AND ${hasKey(key)}`;
    const chosen =
      trace.changed || trace.reading === null
        ? `SELECT * FROM traces WHERE ${ofConversation}`
        : await tracesOfReading(read, ofProject, trace.reading);
    const traces = await rowsOf<TraceColumns>(
      read,
      `SELECT ${EXTENT_COLUMNS}, reading, count(*) OVER ()::INTEGER AS traces, bool_or(${CHANGED}) OVER () AS changed
       FROM (${chosen}) ORDER BY started_ns, trace_id LIMIT ${TRACES_MAX}`,
      [key],
    );
    const first = traces[0]!;
    const from = (conversation: string, ...values: string[]) =>
      rowsOf<SummaryColumns>(read, `SELECT ${SUMMARY_COLUMNS} FROM (${conversation})`, values);
    const [asRead] = first.changed ? [] : await from(`${AS_READ} WHERE reading = ${first.reading}`);
    const row =
      asRead?.traces === first.traces
        ? asRead
        : (await from(changedOf(`${KEYED_TRACES} WHERE ${ofConversation}`), key))[0];
    return row === undefined ? null : { summary: toSummaryRow(row), extents: traces.map(toExtent) };
  });
}

/**
 * Returns the query for the traces of a conversation that has a reading, by the reading's number, whose column is read faster
 * than the names. A trace outside the reading is a changed one; the rows between the first and the last changed one are few.
 */
async function tracesOfReading(read: DatabaseConnection, ofProject: string, reading: bigint): Promise<string> {
  const { first, last } = await changedRows(read, ofProject);
  const ofReading = `SELECT * FROM traces WHERE ${ofProject} AND reading = ${reading} AND ${KEY} = $1`;
  if (first === null) return ofReading;
  return `${ofReading} UNION ALL SELECT * FROM traces WHERE rowid BETWEEN ${first} AND ${last} AND ${ofProject}
    AND ${CHANGED} AND reading IS DISTINCT FROM ${reading} AND ${KEY} = $1`;
}

export function toSummaryRow(row: SummaryColumns): TraceSummaryRow {
  return {
    traceId: hexId(row.trace_id, 32),
    traceIds: row.trace_ids.items.map((id) => hexId(id, 32)),
    traces: row.traces,
    conversation: row.conversation,
    source: row.source,
    agent: row.agent,
    service: row.service,
    rootName: row.root_name,
    rootEnded: row.root_end_ns !== null,
    startedNs: row.started_ns,
    endedNs: row.ended_ns,
    spans: row.spans,
    errors: row.errors,
    isRead: row.is_read,
    turns: row.turns,
    toolCalls: row.tool_calls,
    latency: timesOf(row, "latency"),
    textResponse: timesOf(row, "text_response"),
    interruptions: row.is_read ? row.interruptions : null,
    qualityTopics: row.is_read && row.quality !== null ? topicsOf(row.quality) : null,
    preview: row.preview,
    lastReceivedMs: Number(row.received_last_ms),
  };
}

const topicsOf = (quality: string): QualityTopic[] =>
  quality.split(" ").filter((topic): topic is QualityTopic => topic !== "");

function timesOf(row: SummaryColumns, name: "latency" | "text_response"): LatencyRow | null {
  const n = row[`${name}_n`];
  if (n === null) return null;
  const [mean, max, p50, p95] = [row[`${name}_mean`], row[`${name}_max`], row[`${name}_p50`], row[`${name}_p95`]];
  return { n, mean, max, p50, p95 };
}
