import { createSpanMessageParser } from "../otlp/span-message.ts";
import type { StoredSpan } from "../stored-span.ts";
import type { BodyReader } from "./body-reader.ts";
import type { IndexRow, SpanDetails } from "./body-spans.ts";

/** A span with all its parts, wherever they are stored. */
export type SpanRow = Omit<IndexRow, "segment" | "position" | "row"> & SpanDetails;

/** The JSON of one read of a conversation, at most. */
export const JSON_BYTES_MAX = 64 * 1024 * 1024;

/**
 * Reads the rest of each row body by body, because a body holds spans of many conversations, and yields after each row. Returns
 * what `map` makes of the rows, in their order; rows at the end are left out when they exceed the limit of bytes, but not the first one.
 */
export function* withDetails<Value>(
  rows: readonly IndexRow[],
  readBody: BodyReader["read"],
  map: (row: SpanRow) => Value,
  jsonBytesMax = JSON_BYTES_MAX,
): Generator<undefined, { values: Value[]; jsonBytes: number; truncated: boolean }> {
  const values: (Value | undefined)[] = Array.from({ length: rows.length });
  const bytes = new Float64Array(rows.length);
  let total = 0;
  let end = rows.length;
  for (const at of bodyOrder(rows)) {
    if (at >= end) continue;
    const row = rows[at]!;
    const body = readBody(row);
    if (body === undefined) throw new Error("a body of the journal disappeared while its spans were read");
    const details = body.details(row.row);
    values[at] = map({ ...row, ...details });
    total += bytes[at] = jsonBytesOf(details);
    while (total > jsonBytesMax && end > 1) {
      total -= bytes[--end]!;
      values.length = end;
    }
    yield;
  }
  return { values: values as Value[], jsonBytes: total, truncated: end < rows.length };
}

const bodyOrder = (rows: readonly IndexRow[]): number[] =>
  Array.from(rows.keys()).sort((one, other) => {
    const [a, b] = [rows[one]!, rows[other]!];
    return a.segment - b.segment || a.position - b.position || one - other;
  });

/** A shared resource or scope counts with each span, because each span is returned with a copy of it. */
const jsonBytesOf = ({ message, statusMessage, attributes, events, links, resource, scope }: SpanDetails): number =>
  [message, statusMessage, attributes, events, links, resource, scope].reduce(
    (sum, text) => sum + (text?.length ?? 0),
    0,
  );

const STATUS = ["unset", "ok", "error"] as const;

/** Returns a function that parses rows to spans; rows that share a resource or a scope share the parsed object. */
export function createSpanParser(): (row: SpanRow) => StoredSpan {
  const parseMessage = createSpanMessageParser();
  const parsed = new Map<string, Record<string, unknown>>();
  const shared = (text: string): Record<string, unknown> => {
    let value = parsed.get(text);
    if (value === undefined) parsed.set(text, (value = JSON.parse(text) as Record<string, unknown>));
    return value;
  };
  return (row) => {
    const scope = shared(row.scope) as { name?: string; version?: string };
    return {
      traceId: hexId(row.trace_id, 32),
      spanId: hexId(row.span_id, 16),
      parentSpanId: row.parent_span_id === null ? null : hexId(row.parent_span_id, 16),
      name: row.name ?? "",
      kind: row.kind,
      startNs: row.start_ns,
      endNs: row.end_ns,
      status: STATUS[row.status] ?? "unset",
      statusMessage: row.statusMessage,
      ...(row.message === undefined ? parseTexts(row) : parseMessage(row.message)),
      resource: (shared(row.resource)["attributes"] ?? {}) as Record<string, unknown>,
      scopeName: scope.name || null,
      scopeVersion: scope.version || null,
    };
  };
}

const parseTexts = ({ attributes, events, links }: SpanRow) => ({
  attributes: attributes === null ? {} : (JSON.parse(attributes) as Record<string, unknown>),
  events: events === null ? [] : (JSON.parse(events) as StoredEvent[]).map(toEvent),
  links: links === null ? [] : (JSON.parse(links) as unknown[]),
});

type StoredEvent = { time_ns: string; name: string; attributes: Record<string, unknown> };

const toEvent = (event: StoredEvent) => ({
  timeNs: BigInt(event.time_ns),
  name: event.name,
  attributes: event.attributes,
});

export const hexId = (id: bigint, digits: 16 | 32) => id.toString(16).padStart(digits, "0");
