import { hexId, type SpanRow } from "../store/span-row.ts";
import { type Names, withNames } from "./stored-names.ts";
import { type Attribute, storedAttributes, storedValue, type Value } from "./stored-values.ts";
import { ExportTraceServiceRequest } from "./trace-proto.ts";

/** A span with all its parts, and the names that it gives. */
export type NamedSpan = Omit<SpanRow, "message"> & Names;

type SpanMessage = Record<string, unknown>;
type ScopeSpans = { json: string; scope: object; spans: SpanMessage[]; schemaUrl?: string };
type ResourceSpans = { key: string; resource: object; scopeSpans: ScopeSpans[]; schemaUrl?: string };

/** Returns an export request in protobuf that the decoder turns into the same spans, in their order. */
export function encodeSpans(spans: readonly NamedSpan[]): Buffer {
  const resources: ResourceSpans[] = [];
  for (const span of spans) {
    const resource = membersOf(span.resource);
    const attributes = withNames(
      {
        resource: listOf(resource.get("attributes")),
        span: span.attributes === null ? [] : storedAttributes(span.attributes),
      },
      span,
    );
    const types = attributes.resource.map(({ value }) => Object.keys(value)[0]).join();
    const key = `${types} ${span.resource}`;
    let ofResource = resources.at(-1);
    if (ofResource?.key !== key) {
      ofResource = {
        key,
        resource: { attributes: attributes.resource, ...droppedIn(resource) },
        scopeSpans: [],
        ...schemaUrlIn(resource),
      };
      resources.push(ofResource);
    }
    let ofScope = ofResource.scopeSpans.at(-1);
    if (ofScope?.json !== span.scope) ofResource.scopeSpans.push((ofScope = scopeSpansOf(span.scope)));
    ofScope.spans.push(messageOf(span, attributes.span));
  }
  return Buffer.from(
    ExportTraceServiceRequest.encode(ExportTraceServiceRequest.fromObject({ resourceSpans: resources })).finish(),
  );
}

function scopeSpansOf(json: string): ScopeSpans {
  const scope = membersOf(json);
  const { stringValue: name } = scope.get("name")!;
  const { stringValue: version } = scope.get("version")!;
  const attributes = listOf(scope.get("attributes"));
  return { json, scope: { name, version, attributes, ...droppedIn(scope) }, spans: [], ...schemaUrlIn(scope) };
}

function messageOf(span: NamedSpan, attributes: readonly Attribute[]): SpanMessage {
  const { parent_span_id: parent, end_ns: end } = span;
  return {
    traceId: idOf(hexId(span.trace_id, 32)),
    spanId: idOf(hexId(span.span_id, 16)),
    ...(parent !== null && { parentSpanId: idOf(hexId(parent, 16)) }),
    name: span.name ?? "",
    kind: span.kind,
    startTimeUnixNano: String(span.start_ns),
    ...(end !== null && { endTimeUnixNano: String(end) }),
    attributes,
    events: elementsOf(span.events).map(eventOf),
    links: elementsOf(span.links).map(linkOf),
    status: { code: span.status, ...(span.statusMessage !== null && { message: span.statusMessage }) },
  };
}

function eventOf(event: Map<string, Value>): object {
  return {
    timeUnixNano: event.get("time_ns")!.stringValue,
    name: event.get("name")!.stringValue,
    attributes: listOf(event.get("attributes")),
    ...droppedIn(event),
  };
}

function linkOf(link: Map<string, Value>): object {
  return {
    traceId: idOf(link.get("trace_id")!.stringValue!),
    spanId: idOf(link.get("span_id")!.stringValue!),
    traceState: link.get("trace_state")?.stringValue ?? "",
    attributes: listOf(link.get("attributes")),
  };
}

const idOf = (hex: string): Buffer => Buffer.from(hex, "hex");

/** Returns the members of an object of ours, whose names differ. */
const membersOf = (json: string): Map<string, Value> => namedIn(storedAttributes(json));
const namedIn = (members: readonly Attribute[]) => new Map(members.map(({ key, value }) => [key, value]));
const listOf = (value: Value | undefined): Attribute[] => value?.kvlistValue?.values ?? [];
const elementsOf = (json: string | null): Map<string, Value>[] =>
  json === null ? [] : storedValue(json).arrayValue!.values.map((value) => namedIn(listOf(value)));

const droppedIn = (members: Map<string, Value>) => {
  const dropped = members.get("dropped")?.intValue;
  return dropped === undefined ? {} : { droppedAttributesCount: Number(dropped) };
};
const schemaUrlIn = (members: Map<string, Value>) => {
  const schemaUrl = members.get("schema_url")?.stringValue;
  return schemaUrl === undefined ? {} : { schemaUrl };
};
