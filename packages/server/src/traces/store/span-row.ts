import type { StoredSpan } from "../stored-span.ts";
import type { IndexRow, SpanDetails } from "./body-spans.ts";

export type SpanRow = Omit<IndexRow, "segment" | "position" | "row"> & SpanDetails;

/** Largest number of bytes of JSON that one read of a conversation may produce. */
export const JSON_BYTES_MAX = 64 * 1024 * 1024;

/** Includes the resource and the scope, because each returned span has a copy of them. */
export const jsonBytesOf = ({ statusMessage, attributes, events, links, resource, scope }: SpanDetails): number =>
  [statusMessage, attributes, events, links, resource, scope].reduce((sum, text) => sum + (text?.length ?? 0), 0);

const STATUS = ["unset", "ok", "error"] as const;

/** Rows with the same resource or scope share the parsed object. */
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
      ...parseTexts(row),
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
