import type { Db } from "../../../stores/relational.ts";
import { tracesOf } from "../index/due-conversations.ts";
import { findRow, watch } from "../index/reads.ts";
import { type SpanCounts, summariesOf } from "../index/summaries.ts";
import type { TraceKey } from "../index/writes.ts";
import type { FindConversation } from "../conversations.ts";
import { JSON_BYTES_MAX } from "../span-row.ts";
import { type ClickHouse, integer, traceLiteral } from "./client.ts";

const SPANS_MAX = 10_000;
export const TRACES_MAX = 1_000;

const NEWLINE = 10;

export const hex = (column: string, digits: number) => `leftPad(lower(hex(${column})), ${digits}, '0')`;

export const TRACE_ID = hex("trace_id", 32);

export const isOneOf = (traces: readonly TraceKey[]) =>
  `(project, trace_id) IN (${traces.map(({ project, traceId }) => `(${integer(project)}, ${traceLiteral(traceId)})`).join(", ")})`;

const COLUMNS = `project, trace_id, span_id, parent_span_id, start_ns, end_ns, kind, status, name, status_message, attributes,
  events, links, resource, scope`;
export const LINE = `project, ${TRACE_ID}, ${hex("span_id", 16)}, ${hex("parent_span_id", 16)}, toString(start_ns),
  toString(end_ns), kind, status, name, status_message, attributes, events, links, resource, scope`;

const ORDER = "ORDER BY start_ns, span_id, trace_id";
export const TEXT_BYTES = ["status_message", "attributes", "events", "links", "resource", "scope"]
  .map((name) => `length(${name})`)
  .join(" + ");

/**
 * Reads the spans of the traces by start, as lines of `SpanLine`. If there are more than `SPANS_MAX` spans, or if the spans are too
 * large, leaves out the latest spans.
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

/** A repeated span counts once. */
export async function countSpans(clickHouse: ClickHouse, traces: readonly TraceKey[]): Promise<SpanCounts[]> {
  if (traces.length === 0) return [];
  return clickHouse.rowsOf<SpanCounts>(
    `SELECT project, ${TRACE_ID} AS traceId, toUInt32(count()) AS spans, toUInt32(countIf(first = 2)) AS errors FROM (
       SELECT project, trace_id, argMin(status, received_us) AS first FROM ${clickHouse.table("spans")}
       WHERE ${isOneOf(traces)} GROUP BY project, trace_id, span_id)
     GROUP BY project, trace_id`,
  );
}

/** If the derived conversation lacks newer spans, makes the conversation due, so that it is soon derived again. */
export const createFindConversation =
  (clickHouse: ClickHouse, db: Db, wake: () => void): FindConversation =>
  async (project, traceId, spansMax, signal) => {
    const row = await findRow(db, project, traceId);
    if (row === undefined) return null;
    if (!row.is_read) await watch(db, project, traceId, wake);
    signal?.throwIfAborted();
    const summary = (await summariesOf((traces) => countSpans(clickHouse, traces), db, [row]))[0]!;
    if (summary.spans > spansMax) return { summary, index: null };
    const traces = await tracesOf(db, [row], TRACES_MAX);
    const { lines, spans } = await readSpans(clickHouse, traces);
    return { summary, lines, truncated: spans < summary.spans };
  };
