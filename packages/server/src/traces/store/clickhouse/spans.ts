import { JSON_BYTES_MAX } from "../span-row.ts";
import { type ClickHouse, integer, traceLiteral } from "./client.ts";

/** Limits of one read of a conversation: spans, traces. */
const SPANS_MAX = 10_000;
export const TRACES_MAX = 1_000;

/** A trace of a project. */
export type TraceKey = { project: number; traceId: string };

/** The number of the spans of a trace, and of those that failed; a span that came twice counts once. */
type SpanCounts = TraceKey & { spans: number; errors: number };

const NEWLINE = 10;

export const hex = (column: string, digits: number) => `leftPad(lower(hex(${column})), ${digits}, '0')`;

/** The id of a trace in hexadecimal. */
export const TRACE_ID = hex("trace_id", 32);

/** Returns the condition that a row is of one of the traces. */
export const isOneOf = (traces: readonly TraceKey[]) =>
  `(project, trace_id) IN (${traces.map(({ project, traceId }) => `(${integer(project)}, ${traceLiteral(traceId)})`).join(", ")})`;

const COLUMNS = `project, trace_id, span_id, parent_span_id, start_ns, end_ns, kind, status, name, status_message, attributes,
  events, links, resource, scope`;
/** The columns of `span-lines.ts`. */
export const LINE = `project, ${TRACE_ID}, ${hex("span_id", 16)}, ${hex("parent_span_id", 16)}, toString(start_ns),
  toString(end_ns), kind, status, name, status_message, attributes, events, links, resource, scope`;

const ORDER = "ORDER BY start_ns, span_id, trace_id";
export const TEXT_BYTES = ["status_message", "attributes", "events", "links", "resource", "scope"]
  .map((name) => `length(${name})`)
  .join(" + ");

/**
 * Reads the spans of the traces in the order of their start, as the lines of `span-lines.ts`. The latest ones are left out when
 * there are more than `SPANS_MAX`, or when they are too large together.
 */
export async function readSpans(
  clickHouse: ClickHouse,
  traces: readonly TraceKey[],
): Promise<{ lines: Uint8Array<ArrayBuffer>; spans: number }> {
  if (traces.length === 0) return { lines: new Uint8Array(), spans: 0 };
  const lines = await clickHouse.linesOf(
    `SELECT ${LINE} FROM (
       SELECT *, sum(${TEXT_BYTES}) OVER (${ORDER} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS bytes_before FROM (
         SELECT ${COLUMNS} FROM ${clickHouse.table("spans")} WHERE ${isOneOf(traces)}
         ORDER BY received_us LIMIT 1 BY project, trace_id, span_id))
     WHERE bytes_before < ${JSON_BYTES_MAX} ${ORDER} LIMIT ${SPANS_MAX}`,
  );
  let spans = 0;
  for (let at = lines.indexOf(NEWLINE); at >= 0; at = lines.indexOf(NEWLINE, at + 1)) spans++;
  return { lines, spans };
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
