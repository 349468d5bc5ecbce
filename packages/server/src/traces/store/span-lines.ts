import type { SpanRow } from "./span-row.ts";

/** A span as a JSON list on one line. An empty text means that there is no text, except for the name. A time of 0 is unknown. */
export type SpanLine = [
  project: number,
  traceId: string,
  spanId: string,
  parentSpanId: string,
  startNs: string,
  endNs: string,
  kind: number,
  status: number,
  name: string,
  statusMessage: string,
  attributes: string,
  events: string,
  links: string,
  resource: string,
  scope: string,
];

const NEWLINE = 10;

export function* rowsOfLines(lines: Uint8Array): Generator<SpanRow> {
  for (const line of listsIn<SpanLine>(lines)) yield rowOf(line);
}

export function* listsIn<List extends unknown[]>(lines: Uint8Array): Generator<List> {
  const text = Buffer.from(lines.buffer, lines.byteOffset, lines.byteLength);
  for (let at = 0; at < text.length;) {
    const end = text.indexOf(NEWLINE, at);
    const to = end === -1 ? text.length : end;
    yield JSON.parse(text.toString("utf8", at, to)) as List;
    at = to + 1;
  }
}

export function rowOf(line: SpanLine): Omit<SpanRow, "message"> {
  const [project, traceId, spanId, parentSpanId, startNs, endNs, kind, status, name, message, ...texts] = line;
  const [attributes, events, links, resource, scope] = texts;
  return {
    project,
    trace_id: BigInt(`0x${traceId}`),
    span_id: BigInt(`0x${spanId}`),
    parent_span_id: BigInt(`0x${parentSpanId}`) || null,
    start_ns: BigInt(startNs),
    end_ns: BigInt(endNs) || null,
    status,
    name,
    kind,
    statusMessage: message || null,
    attributes: attributes || null,
    events: events || null,
    links: links || null,
    resource,
    scope,
  };
}
