import {
  AGENT_KEYS,
  CONVERSATION_KEYS,
  SERVICE_KEY,
} from "../../packages/server/src/traces/conversation/identity-keys.ts";
import { ExportTraceServiceRequest } from "../../packages/server/src/traces/otlp/trace-proto.ts";
import type { OtlpAttribute, OtlpRequest, OtlpSpan, OtlpValue } from "./otlp.ts";
import type { SpanRow } from "./span-rows.ts";

export const CONTEXT = { project: 7, receivedMs: 1_795_251_160_000, lsn: 42 };

/** Returns a row with its JSON parsed, so that two spellings of a value are equal. */
export type PlainRow = Record<string, unknown>;

export function plainRow(row: SpanRow): PlainRow {
  const parsed = { ...row } as PlainRow;
  for (const name of ["attributes", "events", "links", "resource", "scope"] as const) {
    parsed[name] = row[name] === null ? null : parseExactly(row[name]);
  }
  return parsed;
}

/** Parses JSON; whole numbers that a double cannot hold become bigints. */
function parseExactly(json: string): unknown {
  return JSON.parse(json, ((_key: string, value: unknown, { source }: { source: string }) =>
    typeof value === "number" && /^-?\d+$/.test(source) && !Number.isSafeInteger(value)
      ? BigInt(source)
      : value) as never);
}

/** Returns the expected rows of a body: protobufjs decodes it, and simple code applies the rules. */
export function rowsByReflection(body: Buffer): PlainRow[] {
  const decoded = ExportTraceServiceRequest.decode(body);
  return rowsOf(ExportTraceServiceRequest.toObject(decoded, { longs: String }) as OtlpRequest);
}

export function rowsOf(request: OtlpRequest): PlainRow[] {
  return (request.resourceSpans ?? []).flatMap(({ resource, scopeSpans, schemaUrl }) =>
    (scopeSpans ?? []).flatMap(({ scope, spans, schemaUrl: scopeSchemaUrl }) =>
      (spans ?? []).filter(isTaken).map((span) => ({
        ...rowOf(span, resource?.attributes ?? []),
        resource: {
          attributes: objectOf(resource?.attributes),
          ...((resource?.droppedAttributesCount ?? 0) > 0 && { dropped: resource!.droppedAttributesCount }),
          ...(schemaUrl && { schema_url: schemaUrl }),
        },
        scope: {
          name: scope?.name ?? "",
          version: scope?.version ?? "",
          ...((scope?.attributes ?? []).length > 0 && { attributes: objectOf(scope!.attributes) }),
          ...((scope?.droppedAttributesCount ?? 0) > 0 && { dropped: scope!.droppedAttributesCount }),
          ...(scopeSchemaUrl && { schema_url: scopeSchemaUrl }),
        },
      })),
    ),
  );
}

const hexOf = (id: unknown) =>
  (typeof id === "string" ? Buffer.from(id, "hex") : Buffer.from((id as Buffer) ?? [])).toString("hex");
const isId = (id: unknown, bytes: number) => hexOf(id).length === bytes * 2 && /[^0]/.test(hexOf(id));

function isTaken(span: OtlpSpan): boolean {
  const start = BigInt(span.startTimeUnixNano ?? 0);
  const most = 2n ** 63n;
  const inRange = start > 0n && start < most && BigInt(span.endTimeUnixNano ?? 0) < most;
  return isId(span.traceId, 16) && isId(span.spanId, 8) && inRange;
}

function rowOf(span: OtlpSpan, resource: OtlpAttribute[]): PlainRow {
  const conversation = named(CONVERSATION_KEYS, span.attributes ?? [], resource);
  const { events = [], links = [] } = span;
  return {
    trace_id: hexOf(span.traceId),
    span_id: hexOf(span.spanId),
    parent_span_id: isId(span.parentSpanId, 8) ? hexOf(span.parentSpanId) : null,
    start_ns: BigInt(span.startTimeUnixNano!),
    end_ns: BigInt(span.endTimeUnixNano ?? 0),
    received_ms: CONTEXT.receivedMs,
    lsn: CONTEXT.lsn,
    project: CONTEXT.project,
    flags: span.flags ?? 0,
    dropped_attributes: span.droppedAttributesCount ?? 0,
    dropped_events: span.droppedEventsCount ?? 0,
    dropped_links: span.droppedLinksCount ?? 0,
    kind: (span.kind ?? 0) > 0 && span.kind! <= 5 ? span.kind : 0,
    status: span.status?.code === 1 || span.status?.code === 2 ? span.status.code : 0,
    conversation_rank: conversation?.rank ?? 255,
    conversation: conversation?.value ?? null,
    agent: named(AGENT_KEYS, span.attributes ?? [], resource)?.value ?? null,
    service: named([SERVICE_KEY], [], resource)?.value ?? null,
    name: span.name ?? "",
    status_message: span.status?.message || null,
    trace_state: span.traceState || null,
    attributes: objectOf(span.attributes),
    events:
      events.length === 0
        ? null
        : events.map((event) => ({
            time_ns: event.timeUnixNano ?? "0",
            name: event.name ?? "",
            attributes: objectOf(event.attributes),
            ...((event.droppedAttributesCount ?? 0) > 0 && { dropped: event.droppedAttributesCount }),
          })),
    links:
      links.length === 0
        ? null
        : links.map((link) => ({
            trace_id: hexOf(link.traceId).length === 32 ? hexOf(link.traceId) : "",
            span_id: hexOf(link.spanId).length === 16 ? hexOf(link.spanId) : "",
            ...(link.traceState && { trace_state: link.traceState }),
            ...((link.attributes ?? []).length > 0 && { attributes: objectOf(link.attributes) }),
          })),
  };
}

function named(keys: string[], span: OtlpAttribute[], resource: OtlpAttribute[]) {
  for (const [rank, key] of keys.entries()) {
    for (const from of [span, resource]) {
      const values = from.filter((item) => item.key === key).map(({ value }) => value?.stringValue ?? value?.intValue);
      const value = values.filter((item) => item !== undefined && item !== "").at(-1);
      if (value !== undefined) return { rank, value: String(value) };
    }
  }
  return undefined;
}

const objectOf = (attributes: OtlpAttribute[] = []): object =>
  Object.fromEntries(attributes.map(({ key = "", value }) => [key, plainValue(value)]));

function plainValue(value: OtlpValue | null | undefined): unknown {
  if (value === undefined || value === null) return null;
  if (value.stringValue !== undefined) return value.stringValue;
  if (value.boolValue !== undefined) return value.boolValue;
  if (value.intValue !== undefined) return whole(BigInt(value.intValue));
  if (value.doubleValue !== undefined) return double(Number(value.doubleValue));
  if (value.bytesValue !== undefined) {
    return typeof value.bytesValue === "string" ? value.bytesValue : Buffer.from(value.bytesValue).toString("base64");
  }
  if (value.arrayValue) return (value.arrayValue.values ?? []).map(plainValue);
  if (value.kvlistValue) return objectOf(value.kvlistValue.values);
  return null;
}

const whole = (value: bigint) => (Number.isSafeInteger(Number(value)) ? Number(value) : value);

function double(value: number): unknown {
  if (!Number.isFinite(value)) return String(value);
  if (/^-?\d+$/.test(String(value))) return whole(BigInt(String(value)));
  return value;
}
