import { JSON_BYTES_MAX } from "../span-row.ts";
import { type ClickHouse, integer, traceLiteral } from "./client.ts";

/** Limits of one read of a conversation: spans, traces. */
export const SPANS_MAX = 10_000;
export const TRACES_MAX = 1_000;

/** A trace of a project. */
export type TraceKey = { project: number; traceId: string };

/** The number of the spans of a trace, and of those that failed; a span that came twice counts once. */
export type SpanCounts = TraceKey & { spans: number; errors: number };

const hex = (column: string, digits: number) => `leftPad(lower(hex(${column})), ${digits}, '0')`;

/** The id of a trace in hexadecimal. */
export const TRACE_ID = hex("trace_id", 32);

/** Returns the condition that a row is of one of the traces. */
export const isOneOf = (traces: readonly TraceKey[]) =>
  `(project, trace_id) IN (${traces.map(({ project, traceId }) => `(${integer(project)}, ${traceLiteral(traceId)})`).join(", ")})`;

const COLUMNS = `project, trace_id, span_id, parent_span_id, start_ns, end_ns, kind, status, name, status_message, attributes,
  events, links, resource, scope`;
/** The columns of `span-lines.ts`. */
const LINE = `project, ${TRACE_ID}, ${hex("span_id", 16)}, ${hex("parent_span_id", 16)}, toString(start_ns),
  toString(end_ns), kind, status, name, status_message, attributes, events, links, resource, scope`;

/**
 * Reads the spans of the traces in the order of their start, as the lines of `span-lines.ts`; at most `SPANS_MAX`, and
 * `truncated` when they are too large.
 */
export async function readSpans(
  clickHouse: ClickHouse,
  traces: readonly TraceKey[],
): Promise<{ lines: Uint8Array<ArrayBuffer>; truncated: boolean }> {
  if (traces.length === 0) return { lines: new Uint8Array(), truncated: false };
  return clickHouse.linesOf(
    `SELECT ${LINE} FROM (
       SELECT ${COLUMNS} FROM ${clickHouse.table("spans")} WHERE ${isOneOf(traces)}
       ORDER BY received_us LIMIT 1 BY project, trace_id, span_id)
     ORDER BY start_ns, span_id, trace_id LIMIT ${SPANS_MAX}`,
    JSON_BYTES_MAX,
  );
}

/** Counts the spans of each of the traces. */
export async function countSpans(clickHouse: ClickHouse, traces: readonly TraceKey[]): Promise<SpanCounts[]> {
  if (traces.length === 0) return [];
  return clickHouse.rowsOf<SpanCounts>(
    `SELECT project, ${TRACE_ID} AS traceId, toUInt32(count()) AS spans, toUInt32(countIf(first = 2)) AS errors FROM (
       SELECT project, trace_id, argMin(status, received_us) AS first FROM ${clickHouse.table("spans")}
       WHERE ${isOneOf(traces)} GROUP BY project, trace_id, span_id)
     GROUP BY project, trace_id`,
  );
}
