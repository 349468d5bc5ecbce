import { hexId, type SpanRow } from "../store/span-row.ts";
import { codeOf, kindOf, NEITHER } from "./identity.ts";
import { CUT_MARK, LIMIT_BYTES } from "./limits.ts";
import { textOf } from "./parse-message.ts";
import { type Attribute, storedAttributes, storedValue, type Value } from "./stored-values.ts";
import { ExportTraceServiceRequest } from "./trace-proto.ts";

export type NamedSpan = Omit<SpanRow, "message"> & Names;

type SpanMessage = Record<string, unknown>;
type ScopeSpans = { json: string; scope: object; spans: SpanMessage[]; schemaUrl?: string };
type ResourceSpans = { key: string; resource: object; scopeSpans: ScopeSpans[]; schemaUrl?: string };

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

/** The service wrote the object, so the names of its members are unique. */
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

type Names = {
  conversationRank: number;
  conversation: string | null;
  agent: string | null;
  service: string | null;
};

type Origin = "resource" | "span";
type Attributes = Record<Origin, readonly Attribute[]>;
type Candidate = { origin: Origin; at: number; rank: number; name: string };

/**
 * Returns the attributes of a span and its resource, from which a decoder reads the same names of the conversation, the agent and the
 * service as the span's columns have. Only strings and integers can be names. In stored JSON, bytes look like strings, and doubles can look
 * like strings or integers. So a value that a decoder would wrongly read as a name becomes bytes or a double again.
 */
function withNames(attributes: Attributes, names: Names): Attributes {
  const ofRank = ({ rank }: Candidate) => rank === names.conversationRank;
  const nameless = [
    ...namelessIn(candidatesIn(attributes, "conversation"), names.conversation, ofRank),
    ...namelessIn(candidatesIn(attributes, "agent"), names.agent),
    ...namelessIn(candidatesIn({ ...attributes, span: [] }, "service"), names.service),
  ];
  if (nameless.length === 0) return attributes;
  const changed = { resource: [...attributes.resource], span: [...attributes.span] };
  for (const { origin, at } of nameless) {
    const { key, value } = attributes[origin][at]!;
    changed[origin][at] = { key, value: namelessValue(value, origin) ?? value };
  }
  return changed;
}

/** Returns the values that can be the name of the conversation, agent or service, in the decoder's order of preference. */
function candidatesIn(attributes: Attributes, kind: ReturnType<typeof kindOf>): Candidate[] {
  const all = (["span", "resource"] as const).flatMap((origin) =>
    attributes[origin]
      .flatMap(({ key, value }, at) => {
        const code = codeOf(key);
        const name = nameOf(value);
        return code === NEITHER || kindOf(code) !== kind || name === undefined
          ? []
          : [{ origin, at, rank: code, name }];
      })
      .toReversed(),
  );
  return all.sort((one, other) => one.rank - other.rank);
}

/**
 * Returns the values that a decoder would wrongly read as the name: the candidates before the candidate with the stored name, or all
 * candidates when there is no stored name. Returns no candidates when none has the stored name.
 */
function namelessIn(
  candidates: readonly Candidate[],
  name: string | null,
  fits: (candidate: Candidate) => boolean = () => true,
): readonly Candidate[] {
  if (name === null) return candidates;
  const named = candidates.findIndex((candidate) => candidate.name === name && fits(candidate));
  return candidates.slice(0, Math.max(0, named));
}

function nameOf({ stringValue, intValue }: Value): string | undefined {
  const text = stringValue || intValue;
  if (text === undefined || text === "") return undefined;
  const bytes = Buffer.from(text);
  return textOf(bytes, 0, bytes.length, LIMIT_BYTES.identity);
}

/** Returns a value with the same text whose type cannot be a name; undefined when there is no such value. */
function namelessValue({ stringValue, intValue }: Value, origin: Origin): Value | undefined {
  if (intValue !== undefined)
    return String(Number(intValue)) === intValue ? { doubleValue: Number(intValue) } : undefined;
  if (stringValue === undefined) return undefined;
  if (/^(NaN|-?Infinity)$/.test(stringValue)) return { doubleValue: Number(stringValue) };
  const isCut = stringValue.endsWith(CUT_MARK);
  const base64 = isCut ? stringValue.slice(0, -CUT_MARK.length) : stringValue;
  const bytes = Buffer.from(base64, "base64");
  if (bytes.toString("base64") !== base64) return undefined;
  const limit = origin === "resource" ? LIMIT_BYTES.resourceValue : LIMIT_BYTES.value;
  return { bytesValue: isCut ? Buffer.concat([bytes, Buffer.alloc(limit)]) : bytes };
}
