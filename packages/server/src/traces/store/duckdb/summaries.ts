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

/**
 * Returns the queries for a project's conversations. `asRead` selects the conversations that match their last reading;
 * `changed` selects the others, because a trace changed, joined or left them. It is null without changed conversations.
 */
export async function conversationsOf(read: DatabaseConnection, project: number) {
  const ofProject = `project = ${integer(project)}`;
  const changed = `FROM traces WHERE ${ofProject} AND ${CHANGED}`;
  const asRead = `${AS_READ} WHERE ${ofProject}`;
  const nothingChanged = (await rowsOf(read, `SELECT 1 ${changed} LIMIT 1`)).length === 0;
  if (nothingChanged) return { asRead, changed: null };
  const affected = `
    ${KEYED_TRACES} WHERE ${ofProject} AND (key IN (SELECT ${KEY} ${changed}) OR reading IN (SELECT reading ${changed}))`;
  return {
    asRead: `${asRead} AND reading NOT IN (SELECT reading FROM (${affected}) WHERE reading IS NOT NULL)`,
    changed: changedOf(affected),
  };
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
    const [named] = await rowsOf<{ key: string }>(
      read,
      `SELECT ${KEY} AS key FROM traces WHERE ${ofProject} AND trace_id = ${idLiteral(traceId, "UHUGEINT")}`,
    );
    if (named === undefined) return null;
    const { key } = named;
    const ofConversation = `${ofProject} AND ${hasKey(key)}`;
    const traces = await rowsOf<TraceColumns>(
      read,
      `SELECT ${EXTENT_COLUMNS}, reading, count(*) OVER ()::INTEGER AS traces, bool_or(${CHANGED}) OVER () AS changed
     FROM traces WHERE ${ofConversation} ORDER BY started_ns, trace_id LIMIT ${TRACES_MAX}`,
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
