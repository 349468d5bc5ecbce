import { LIMITS } from "@svc/contract";

export type Encoding = "protobuf" | "json";
/** An OTLP body that consists of many parts of one kind. */
export type Export = { kind: string; encoding: Encoding; body: () => Buffer };

const AROUND_BYTES = 1_000;
const FIRST_SPAN = {
  traceId: "ab".repeat(16),
  spanId: "cd".repeat(8),
  startTimeUnixNano: "72340172838076673",
};
const IDS = Buffer.from(`0a10${FIRST_SPAN.traceId}1208${FIRST_SPAN.spanId}39${"01".repeat(8)}`, "hex");

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  return Buffer.from([...bytes, rest]);
}

/** Returns a length-delimited field of protobuf; its tag is eight times its number plus two. */
export const field = (tag: number, ...parts: Buffer[]): Buffer =>
  Buffer.concat([varint(tag), varint(parts.reduce((sum, part) => sum + part.length, 0)), ...parts]);

const request = (...spans: Buffer[]) => field(10, field(18, ...spans));
const oneSpan = (...members: Buffer[]) => request(field(18, IDS, ...members));
const value = (...members: Buffer[]) => field(74, field(18, ...members));
const text = (words: string) => Buffer.from(words);

/** For each kind: one part of a protobuf body, and a function that makes the body around many such parts. */
const IN_PROTOBUF: Record<string, [part: Buffer, around: (parts: Buffer) => Buffer]> = {
  "empty resources": [field(10), (parts) => parts],
  "resources with an empty scope": [field(10, field(18)), (parts) => parts],
  "resources with an empty span": [field(10, field(18, field(18))), (parts) => parts],
  "empty scopes": [field(18), (parts) => field(10, parts)],
  "scopes with an empty span": [field(18, field(18)), (parts) => field(10, parts)],
  "pieces of a resource": [field(10), (parts) => field(10, parts, field(18, field(18, IDS)))],
  "pieces of a scope": [field(10), (parts) => field(10, field(18, parts, field(18, IDS)))],
  "empty spans": [field(18), request],
  "spans without a name": [field(18, IDS), request],
  "resources with a span": [request(field(18, IDS)), (parts) => parts],
  "empty attributes": [field(74), oneSpan],
  "attributes that name the conversation": [
    field(74, field(10, text("session.id")), field(18, field(10, text("x")))),
    oneSpan,
  ],
  "empty attributes of a resource": [field(10), (parts) => field(10, field(10, parts), field(18, field(18, IDS)))],
  "empty attributes of a scope": [field(26), (parts) => field(10, field(18, field(10, parts), field(18, IDS)))],
  "empty events": [field(90), oneSpan],
  "empty attributes of an event": [field(26), (parts) => oneSpan(field(90, parts))],
  "empty links": [field(106), oneSpan],
  "empty attributes of a link": [field(34), (parts) => oneSpan(field(106, parts))],
  "empty statuses": [field(122), oneSpan],
  "empty names": [field(42), oneSpan],
  "unknown fields": [Buffer.from("a00600", "hex"), oneSpan],
  "empty values of a list": [field(10), (parts) => oneSpan(value(field(42, parts)))],
  "empty values of a map": [field(10), (parts) => oneSpan(value(field(50, parts)))],
  "lists in a list": [field(10, field(42)), (parts) => oneSpan(value(field(42, parts)))],
  "pieces of a value": [field(18), (parts) => oneSpan(field(74, parts))],
  "pieces of a list": [field(42), (parts) => oneSpan(value(parts))],
  "pieces of a key": [field(10), (parts) => oneSpan(field(74, parts))],
};

const inJson = (members: string) => `{"resourceSpans":[{"scopeSpans":[{"spans":[{${members}}]}]}]}`;
const ids = JSON.stringify(FIRST_SPAN).slice(1, -1);
const listOf = (name: string) => (parts: string) => inJson(`${ids},"${name}":[${parts}]`);
const inValue = (name: string) => (parts: string) =>
  inJson(`${ids},"attributes":[{"key":"k","value":{"${name}":{"values":[${parts}]}}}]`);

const IN_JSON: Record<string, [part: string, around: (parts: string) => string]> = {
  "empty resources": ["{}", (parts) => `{"resourceSpans":[${parts}]}`],
  "resources with an empty scope": ['{"scopeSpans":[{}]}', (parts) => `{"resourceSpans":[${parts}]}`],
  "resources with a padded empty scope": [
    '{"scopeSpans":[{"schemaUrl":"abcd"}]}',
    (parts) => `{"resourceSpans":[${parts}]}`,
  ],
  "empty scopes": ["{}", (parts) => `{"resourceSpans":[{"scopeSpans":[${parts}]}]}`],
  "empty spans": ["{}", (parts) => `{"resourceSpans":[{"scopeSpans":[{"spans":[${parts}]}]}]}`],
  "padded empty spans": ['{"name":"abcd" }', (parts) => `{"resourceSpans":[{"scopeSpans":[{"spans":[${parts}]}]}]}`],
  "spans without a name": [`{${ids}}`, (parts) => `{"resourceSpans":[{"scopeSpans":[{"spans":[${parts}]}]}]}`],
  "empty attributes": ["{}", listOf("attributes")],
  "padded empty attributes": ['{"key":"abcde" }', listOf("attributes")],
  "attributes that name the conversation": ['{"key":"session.id","value":{"stringValue":"x"}}', listOf("attributes")],
  "padded empty events": ['{"name":"abcde"}', listOf("events")],
  "padded empty links": ['{"name":"abcde"}', listOf("links")],
  "values of a list": ['{"intValue":"123"}', inValue("arrayValue")],
  "nulls of a list": ["null", inValue("arrayValue")],
  "values of a map": ['{"key":"k","value":{}}', inValue("kvlistValue")],
  "names of a span": ['"name":"a"', (parts) => inJson(`${ids},${parts}`)],
  "unknown members": ['"":1', (parts) => inJson(`${ids},${parts}`)],
  "unknown numbers": ["1", listOf("x")],
  "repeated values": ['"intValue":1', (parts) => inJson(`${ids},"attributes":[{"key":"k","value":{${parts}}}]`)],
};

const filled = (part: Buffer, bytes: number) => Buffer.alloc(bytes - (bytes % part.length), part);

/** Returns bodies of the given size. Each consists of parts of one kind, and most of these parts are empty. */
export const expensiveExports = (bytes: number = LIMITS.traceBodyBytes): Export[] => [
  ...Object.entries(IN_PROTOBUF).map(([kind, [part, around]]) => ({
    kind,
    encoding: "protobuf" as const,
    body: () => around(filled(part, bytes - AROUND_BYTES)),
  })),
  ...Object.entries(IN_JSON).map(([kind, [part, around]]) => ({
    kind,
    encoding: "json" as const,
    body: () =>
      Buffer.from(
        around(
          filled(Buffer.from(`${part},`), bytes - AROUND_BYTES)
            .toString()
            .slice(0, -1),
        ),
      ),
  })),
];

/** Returns a body with this many parts of a kind. */
export function exportOf(kind: string, encoding: Encoding, parts: number): Buffer {
  if (encoding === "json") {
    const [part, around] = IN_JSON[kind]!;
    return Buffer.from(around(Array.from({ length: parts }, () => part).join(",")));
  }
  const [part, around] = IN_PROTOBUF[kind]!;
  return around(filled(part, part.length * parts));
}

const ATTRIBUTES = Array.from({ length: 100 }, (_, at) => ({ key: `gen_ai.attribute.${at}`, words: `value ${at}` }));

/** Returns a body of this size, whose spans have a hundred attributes each. */
export function realExport(encoding: Encoding, bytes: number = LIMITS.traceBodyBytes): Buffer {
  const room = bytes - AROUND_BYTES;
  if (encoding === "protobuf") {
    const attributes = ATTRIBUTES.map(({ key, words }) =>
      field(74, field(10, text(key)), field(18, field(10, text(words)))),
    );
    return request(filled(field(18, IDS, field(42, text("agent_turn")), ...attributes), room));
  }
  const attributes = ATTRIBUTES.map(({ key, words }) => ({ key, value: { stringValue: words } }));
  const span = Buffer.from(`${JSON.stringify({ ...FIRST_SPAN, name: "agent_turn", attributes })},`);
  return Buffer.from(`{"resourceSpans":[{"scopeSpans":[{"spans":[${filled(span, room).toString().slice(0, -1)}]}]}]}`);
}

/** Returns a body of 512 spans, the largest batch of stock exporters, with a vector of this many numbers each. */
export function vectorExport(encoding: Encoding, numbers: number): Buffer {
  if (encoding === "protobuf") {
    const number = field(10, Buffer.from([33]), Buffer.from(new Float64Array([0.125]).buffer));
    const span = field(18, IDS, value(field(42, filled(number, number.length * numbers))));
    return request(filled(span, span.length * 512));
  }
  const values = Array.from({ length: numbers }, () => ({ doubleValue: 0.125 }));
  const span = { ...FIRST_SPAN, attributes: [{ key: "vector", value: { arrayValue: { values } } }] };
  return Buffer.from(
    `{"resourceSpans":[{"scopeSpans":[{"spans":[${Array.from({ length: 512 }, () => JSON.stringify(span)).join(",")}]}]}]}`,
  );
}
