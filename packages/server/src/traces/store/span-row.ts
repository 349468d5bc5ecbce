import type { StoredSpan } from "../stored-span.ts";
import type { BodyReader } from "./body-reader.ts";
import type { SpanDetails } from "./body-spans.ts";

/** The columns of a span in the tables. */
export type IndexRow = {
  project: number;
  trace_id: bigint;
  span_id: bigint;
  parent_span_id: bigint | null;
  start_ns: bigint;
  end_ns: bigint | null;
  status: number;
  name: string | null;
  segment: bigint;
  position: number;
};

/** A span: its columns in the tables, and the rest from its body. */
export type SpanRow = IndexRow & SpanDetails;

/** The JSON of one read of a conversation, at most. */
const JSON_BYTES_MAX = 64 * 1024 * 1024;

/** Yields each row with the rest of its span; stops before the limit of bytes and then returns true. */
export function* withDetails(rows: Iterable<IndexRow>, readBody: BodyReader["read"]): Generator<SpanRow, boolean> {
  let jsonBytes = 0;
  for (const row of rows) {
    if (jsonBytes > JSON_BYTES_MAX) return true;
    const body = readBody({ segment: Number(row.segment), position: row.position });
    const details = body?.find(row.trace_id, row.span_id) ?? UNREADABLE;
    jsonBytes += jsonBytesOf(details);
    yield { ...row, ...details };
  }
  return false;
}

/** A shared resource or scope counts with each span, because each span is returned with a copy of it. */
export const jsonBytesOf = ({ statusMessage, attributes, events, links, resource, scope }: SpanDetails): number =>
  [statusMessage, attributes, events, links, resource, scope].reduce((sum, text) => sum + (text?.length ?? 0), 0);

/** The details of a span whose body is missing or damaged; the columns in the tables are still returned. */
const UNREADABLE: SpanDetails = {
  kind: 0,
  statusMessage: null,
  attributes: null,
  events: null,
  links: null,
  resource: "{}",
  scope: "{}",
  isLost: true,
};

const STATUS = ["unset", "ok", "error"] as const;

/** Returns a function that parses rows to spans; rows that share a resource or a scope share the parsed object. */
export function createSpanParser(): (row: SpanRow) => StoredSpan {
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
      attributes: row.attributes === null ? {} : (JSON.parse(row.attributes) as Record<string, unknown>),
      events: row.events === null ? [] : (JSON.parse(row.events) as StoredEvent[]).map(toEvent),
      links: row.links === null ? [] : (JSON.parse(row.links) as unknown[]),
      resource: (shared(row.resource)["attributes"] ?? {}) as Record<string, unknown>,
      scopeName: scope.name || null,
      scopeVersion: scope.version || null,
      ...(row.isLost && { isLost: true as const }),
    };
  };
}

export const toStoredSpans = (rows: readonly SpanRow[]): StoredSpan[] => rows.map(createSpanParser());

type StoredEvent = { time_ns: string; name: string; attributes: Record<string, unknown> };

const toEvent = (event: StoredEvent) => ({
  timeNs: BigInt(event.time_ns),
  name: event.name,
  attributes: event.attributes,
});

export const hexId = (id: bigint, digits: 16 | 32) => id.toString(16).padStart(digits, "0");
