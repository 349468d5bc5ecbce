import fc from "fast-check";
import protobuf from "protobufjs/light.js";
import { AGENT_KEYS, CONVERSATION_KEYS } from "../../packages/server/src/traces/conversation/identity-keys.ts";
import { ExportTraceServiceRequest } from "../../packages/server/src/traces/otlp/trace-proto.ts";
import type { OtlpAttribute, OtlpRequest, OtlpSpan, OtlpValue } from "./otlp.ts";

const hostile = fc.constantFrom('"', "\\", "\u0000", "\u001f", "\u007f", "\n", "é", "日", "😀", "\u2028", "</script>");
const text = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.string({ unit: fc.oneof(fc.string({ maxLength: 3 }), hostile), maxLength: 30 }),
);
// UTF-8 cannot encode a lone surrogate: both encoders would write U+FFFD.
const cleanText = text.map((value) => value.toWellFormed());
// A defect in JSON.parse of Node 24: it may read the key `"` as `\\` after an object of the same shape with the key `\\`.
const keyText = cleanText.map((value) => value.replaceAll("\\", "/"));
const key = fc.oneof(
  { weight: 3, arbitrary: keyText },
  fc.constantFrom(...CONVERSATION_KEYS, ...AGENT_KEYS, "__proto__"),
);

const int64 = fc.oneof(
  fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n),
  fc.integer().map(BigInt),
  fc.constantFrom(0n, -1n, 10n, 99n, 2n ** 53n),
);
const double = fc.double().map((value) => (Number.isFinite(value) ? value : String(value)));

const { attribute } = fc.letrec<{ value: OtlpValue; attribute: OtlpAttribute }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.record({ stringValue: cleanText }),
    fc.record({ intValue: int64.map(String) }),
    fc.record({ doubleValue: double }),
    fc.record({ boolValue: fc.boolean() }),
    fc.record({ bytesValue: fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes).toString("base64")) }),
    fc.constant({}),
    fc.record({ arrayValue: fc.record({ values: fc.array(tie("value"), { maxLength: 4 }) }) }),
    fc.record({ kvlistValue: fc.record({ values: fc.array(tie("attribute"), { maxLength: 4 }) }) }),
  ),
  attribute: fc.record({ key, value: tie("value") }, { requiredKeys: ["key"] }),
}));

const attributes = fc.array(attribute, { maxLength: 6 });
const idOf = (bytes: number) => {
  const good = fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((id) => Buffer.from(id).toString("hex"));
  const bad = fc.constantFrom("", "00".repeat(bytes), "ab", "ab".repeat(bytes + 1));
  return fc.oneof({ weight: 12, arbitrary: good }, { weight: 1, arbitrary: bad });
};
const time = fc.oneof(
  { weight: 8, arbitrary: fc.bigInt(1n, 2n ** 63n - 1n) },
  { weight: 1, arbitrary: fc.constantFrom(0n, 2n ** 63n, 2n ** 64n - 1n) },
);
const uint32 = fc.oneof(fc.nat(5), fc.integer({ min: 0, max: 0xffff_ffff }));

const span: fc.Arbitrary<OtlpSpan> = fc.record(
  {
    traceId: idOf(16),
    spanId: idOf(8),
    parentSpanId: idOf(8),
    traceState: cleanText,
    name: cleanText,
    kind: fc.integer({ min: -1, max: 7 }),
    startTimeUnixNano: time.map(String),
    endTimeUnixNano: time.map(String),
    attributes,
    droppedAttributesCount: uint32,
    events: fc.array(
      fc.record(
        { timeUnixNano: time.map(String), name: cleanText, attributes, droppedAttributesCount: uint32 },
        { requiredKeys: [] },
      ),
      { maxLength: 3 },
    ),
    droppedEventsCount: uint32,
    links: fc.array(
      fc.record(
        { traceId: idOf(16), spanId: idOf(8), traceState: cleanText, attributes },
        { requiredKeys: ["traceId", "spanId"] },
      ),
      { maxLength: 3 },
    ),
    droppedLinksCount: uint32,
    status: fc.record({ code: fc.integer({ min: 0, max: 4 }), message: cleanText }, { requiredKeys: [] }),
    flags: uint32,
  },
  { requiredKeys: ["traceId", "spanId", "startTimeUnixNano"] },
);

const origin = { attributes, droppedAttributesCount: fc.nat(3) };

/** Generates requests of every shape that OTLP allows, including spans that the service rejects. */
export const anyRequest: fc.Arbitrary<OtlpRequest> = fc.record({
  resourceSpans: fc.array(
    fc.record(
      {
        resource: fc.record(origin, { requiredKeys: [] }),
        scopeSpans: fc.array(
          fc.record(
            {
              scope: fc.record({ name: cleanText, version: cleanText, ...origin }, { requiredKeys: [] }),
              spans: fc.array(span, { maxLength: 4 }),
              schemaUrl: cleanText,
            },
            { requiredKeys: [] },
          ),
          { maxLength: 3 },
        ),
        schemaUrl: cleanText,
      },
      { requiredKeys: [] },
    ),
    { maxLength: 3 },
  ),
});

type Field = { number: number; wireType: number; bytes: Uint8Array };

/**
 * Rewrites a message as another sender may encode it: with fields in any order, unknown fields, repeated values of single fields,
 * and split messages. protobufjs decides what the result means.
 */
export function scramble(body: Uint8Array, next: () => number, type = ExportTraceServiceRequest): Buffer {
  const fields = split(body).flatMap((field): Field[] => {
    const known = type.fieldsById[field.number]?.resolve();
    if (!(known?.resolvedType instanceof protobuf.Type)) return [field];
    const inner = scramble(payload(field), next, known.resolvedType);
    const again = { ...field, bytes: withLength(inner) };
    if (known.repeated || next() < 0.8) return [again];
    return pieces(inner, next).map((piece) => ({ ...field, bytes: withLength(piece) }));
  });
  const doubled = fields.flatMap((field) => {
    const known = type.fieldsById[field.number];
    const plain = known !== undefined && !known.repeated && !(known.resolvedType instanceof protobuf.Type);
    return plain && next() < 0.1 ? [other(field), field] : [field];
  });
  const unknown = doubled.flatMap((field) => (next() < 0.15 ? [unknownField(next), field] : [field]));
  return join(interleave(unknown, next));
}

function split(body: Uint8Array): Field[] {
  const reader = protobuf.Reader.create(body);
  const fields: Field[] = [];
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    const from = reader.pos;
    reader.skipType(tag & 7);
    fields.push({ number: tag >>> 3, wireType: tag & 7, bytes: body.slice(from, reader.pos) });
  }
  return fields;
}

const payload = (field: Field) => protobuf.Reader.create(field.bytes).bytes();
const withLength = (bytes: Uint8Array) => protobuf.Writer.create().bytes(bytes).finish();

export function join(fields: Field[]): Buffer {
  const parts = fields.map(({ number, wireType, bytes }) => [
    protobuf.Writer.create()
      .uint32(((number << 3) | wireType) >>> 0)
      .finish(),
    bytes,
  ]);
  return Buffer.concat(parts.flat());
}

/** Splits the fields into two messages, which protobuf merges. */
function pieces(message: Uint8Array, next: () => number): Buffer[] {
  const fields = split(message);
  const at = Math.floor(next() * (fields.length + 1));
  return [join(fields.slice(0, at)), join(fields.slice(at))];
}

function other(field: Field): Field {
  if (field.wireType === 0) return { ...field, bytes: Uint8Array.of(1) };
  if (field.wireType === 2) return { ...field, bytes: withLength(Buffer.from("other")) };
  return { ...field, bytes: field.bytes.map((byte) => byte ^ 1) };
}

function unknownField(next: () => number): Field {
  const number = 100 + Math.floor(next() * 400_000_000);
  return [
    { number, wireType: 0, bytes: Buffer.from("ffffffffffffffffff01", "hex") },
    { number, wireType: 1, bytes: Buffer.alloc(8, 7) },
    { number, wireType: 2, bytes: withLength(Buffer.from("unknown")) },
    { number, wireType: 5, bytes: Buffer.alloc(4, 7) },
  ][Math.floor(next() * 4)]!;
}

/** Reorders fields; fields of the same number keep their order. */
function interleave(fields: Field[], next: () => number): Field[] {
  const order = fields.map((field) => field.number);
  for (let i = order.length - 1; i > 0; i--) {
    const j = Math.floor(next() * (i + 1));
    [order[i], order[j]] = [order[j]!, order[i]!];
  }
  const queues = Map.groupBy(fields, (field) => field.number);
  return order.map((number) => queues.get(number)!.shift()!);
}
