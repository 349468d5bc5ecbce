import { ExportTraceServiceRequest } from "../../packages/server/src/traces/otlp/trace-proto.ts";

/** OTLP/JSON as plain objects: ids in hexadecimal, 64-bit numbers as strings. */
export type OtlpValue = {
  stringValue?: string;
  boolValue?: boolean;
  intValue?: string | number;
  doubleValue?: number | string;
  arrayValue?: { values?: OtlpValue[] };
  kvlistValue?: { values?: OtlpAttribute[] };
  bytesValue?: string;
};
export type OtlpAttribute = { key: string; value?: OtlpValue };
type OtlpEvent = {
  timeUnixNano?: string;
  name?: string;
  attributes?: OtlpAttribute[];
  droppedAttributesCount?: number;
};
type OtlpLink = { traceId: string; spanId: string; traceState?: string; attributes?: OtlpAttribute[] };
export type OtlpSpan = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  traceState?: string;
  name?: string;
  kind?: number;
  startTimeUnixNano?: string;
  endTimeUnixNano?: string;
  attributes?: OtlpAttribute[];
  droppedAttributesCount?: number;
  events?: OtlpEvent[];
  droppedEventsCount?: number;
  links?: OtlpLink[];
  droppedLinksCount?: number;
  status?: { code?: number; message?: string };
  flags?: number;
};
type OtlpScopeSpans = {
  scope?: { name?: string; version?: string; attributes?: OtlpAttribute[]; droppedAttributesCount?: number };
  spans?: OtlpSpan[];
  schemaUrl?: string;
};
export type OtlpRequest = {
  resourceSpans?: {
    resource?: { attributes?: OtlpAttribute[]; droppedAttributesCount?: number };
    scopeSpans?: OtlpScopeSpans[];
    schemaUrl?: string;
  }[];
};

/** Returns an attribute with a plain value; a bigint becomes an int, a number a double. */
export function attribute(key: string, value: unknown): OtlpAttribute {
  return { key, value: valueOf(value) };
}

function valueOf(value: unknown): OtlpValue {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "bigint") return { intValue: String(value) };
  if (typeof value === "number") return { doubleValue: Number.isFinite(value) ? value : String(value) };
  if (Buffer.isBuffer(value)) return { bytesValue: value.toString("base64") };
  if (Array.isArray(value)) return { arrayValue: { values: value.map(valueOf) } };
  if (value === null || value === undefined) return {};
  return { kvlistValue: { values: Object.entries(value).map(([key, item]) => attribute(key, item)) } };
}

export const oneSpan = (span: Partial<OtlpSpan> = {}): OtlpRequest => ({
  resourceSpans: [{ scopeSpans: [{ spans: [aSpan(span)] }] }],
});

export const aSpan = (span: Partial<OtlpSpan> = {}): OtlpSpan => ({
  traceId: "0af7651916cd43dd8448eb211c80319c",
  spanId: "b7ad6b7169203331",
  name: "agent_turn",
  startTimeUnixNano: "1795251159551000000",
  endTimeUnixNano: "1795251161513000000",
  ...span,
});

/** Encodes a request in protobuf. */
export function encodeProtobuf(request: OtlpRequest): Buffer {
  return Buffer.from(
    ExportTraceServiceRequest.encode(ExportTraceServiceRequest.fromObject(withBytes(request))).finish(),
  );
}

export const encodeJson = (request: OtlpRequest): Buffer => Buffer.from(JSON.stringify(request));

// protobufjs accepts bytes as buffers or base64, and infinities as numbers only.
function withBytes(request: OtlpRequest): object {
  return JSON.parse(JSON.stringify(request), (key, value) => {
    if (key === "traceId" || key === "spanId" || key === "parentSpanId") return Buffer.from(value, "hex");
    if (key === "doubleValue") return Number(value);
    return value;
  }) as object;
}
