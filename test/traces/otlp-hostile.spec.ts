import { isUtf8 } from "node:buffer";
import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createDecoder } from "../../packages/server/src/traces/otlp/decoder.ts";
import { MalformedBody } from "../../packages/server/src/traces/otlp/malformed-body.ts";
import { SpanBatch } from "../../packages/server/src/traces/span-batch.ts";
import { cpuTimeMs } from "../support/cpu-time.ts";
import { IS_LONG } from "../support/long-form.ts";
import { join } from "../support/otlp-arbitrary.ts";
import { CONTEXT } from "../support/otlp-reference.ts";
import { aSpan, attribute, encodeJson, encodeProtobuf, oneSpan, type OtlpValue } from "../support/otlp.ts";
import { readRows, type SpanRow } from "../support/span-rows.ts";

const { decodeJson, decodeProtobuf } = createDecoder();
type Decode = typeof decodeProtobuf;

const CAPTURES = new URL("../fixtures/otlp-captures/", import.meta.url);
const captures = (ending: string) =>
  readdirSync(CAPTURES, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(ending))
    .map((path) => readFileSync(new URL(path, CAPTURES)));

const BODY_LIMIT = 20 << 20;
const NEW = { ...CONTEXT, bounded: true };

/** Returns a batch that already holds a span, so that a refused body must leave it unchanged. */
function filledBatch() {
  const batch = new SpanBatch(2, 64);
  decodeProtobuf(encodeProtobuf(oneSpan({ name: "before" })), batch, { ...CONTEXT, lsn: 1 });
  const mark = batch.mark();
  return { batch, mark, heap: Buffer.from(batch.heap.subarray(0, batch.heapUsed)) };
}

function expectUnchanged({ batch, mark, heap }: ReturnType<typeof filledBatch>) {
  expect(batch.mark()).toEqual(mark);
  expect(batch.lastLsn).toBe(1);
  expect(batch.heap.subarray(0, mark.heapUsed).equals(heap)).toBe(true);
  expect(readRows(batch).map((row) => row.name)).toEqual(["before"]);
}

function expectReadable(batch: SpanBatch): SpanRow[] {
  expect(isUtf8(batch.heap.subarray(0, batch.heapUsed))).toBe(true);
  const rows = readRows(batch);
  for (const row of rows) {
    for (const json of [row.attributes, row.events, row.links, row.resource, row.scope])
      if (json !== null) JSON.parse(json);
  }
  return rows;
}

function expectAcceptedOrRefused(decode: Decode, body: Buffer): void {
  const before = filledBatch();
  try {
    decode(body, before.batch, CONTEXT);
  } catch (error) {
    expect(error).toBeInstanceOf(MalformedBody);
    expectUnchanged(before);
    return;
  }
  expectReadable(before.batch);
}

const mutations = fc.array(
  fc.record({
    at: fc.nat(),
    how: fc.constantFrom("set", "flip", "cut", "drop", "double"),
    byte: fc.integer({ min: 0, max: 255 }),
  }),
  { minLength: 1, maxLength: 6 },
);

function mutate(body: Buffer, changes: { at: number; how: string; byte: number }[]): Buffer {
  let bytes = Buffer.from(body);
  for (const { at, how, byte } of changes) {
    const i = at % Math.max(1, bytes.length);
    if (how === "set") bytes[i] = byte;
    else if (how === "flip") bytes[i] = bytes[i]! ^ (1 << (byte & 7));
    else if (how === "cut") bytes = bytes.subarray(0, i);
    else if (how === "drop") bytes = Buffer.concat([bytes.subarray(0, i), bytes.subarray(i + 1)]);
    else bytes = Buffer.concat([bytes.subarray(0, i), bytes.subarray(i, i + byte), bytes.subarray(i)]);
  }
  return bytes;
}

test.each([
  ["protobuf", decodeProtobuf, captures(".bin")],
  ["JSON", decodeJson, captures(".otlp.json")],
] as const)(
  "a captured %s body with changed bytes gives readable rows, or is refused and leaves nothing behind",
  (_name, decode, bodies) => {
    fc.assert(
      fc.property(fc.constantFrom(...bodies), mutations, (body, changes) =>
        expectAcceptedOrRefused(decode, mutate(body, changes)),
      ),
      { numRuns: IS_LONG ? 1_500 : 300 },
    );
  },
);

test("random bytes give readable rows, or are refused and leave nothing behind", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) =>
      expectAcceptedOrRefused(decodeProtobuf, Buffer.from(bytes)),
    ),
    {
      numRuns: IS_LONG ? 2_000 : 400,
    },
  );
});

describe("broken protobuf, which leaves the batch unchanged", () => {
  const span = (fields: Parameters<typeof join>[0]) => {
    const wrap = (bytes: Buffer, number: number) => join([{ number, wireType: 2, bytes: sized(bytes) }]);
    return wrap(wrap(wrap(join(fields), 2), 2), 1);
  };
  const sized = (bytes: Buffer) => {
    const length: number[] = [];
    for (let rest = bytes.length; ; rest >>>= 7) {
      length.push(rest > 127 ? (rest & 127) | 128 : rest);
      if (rest < 128) return Buffer.concat([Buffer.from(length), bytes]);
    }
  };
  const hex = (text: string) => Buffer.from(text, "hex");
  const good = hex(encodeProtobuf(oneSpan()).toString("hex"));

  test.each([
    ["a length past the end", hex("0a05")],
    ["a body cut short", good.subarray(0, -1)],
    ["a number of eleven bytes", span([{ number: 6, wireType: 0, bytes: hex("8080808080808080808001") }])],
    ["a number of more than 64 bits", span([{ number: 6, wireType: 0, bytes: hex("ffffffffffffffffff02") }])],
    ["an unterminated number", span([{ number: 6, wireType: 0, bytes: hex("ff") }])],
    ["a length of more than 32 bits", hex("0affffffffffffffffff01")],
    ["a group", span([{ number: 90, wireType: 3, bytes: Buffer.alloc(0) }])],
    ["wire type 7", span([{ number: 90, wireType: 7, bytes: Buffer.alloc(0) }])],
    ["field 0", span([{ number: 0, wireType: 0, bytes: hex("00") }])],
    ["a trace id that is a number", span([{ number: 1, wireType: 0, bytes: hex("01") }])],
    ["a time that is a varint", span([{ number: 7, wireType: 0, bytes: hex("01") }])],
    ["a text past the end of its span", Buffer.concat([span([{ number: 5, wireType: 2, bytes: hex("05") }]), good])],
    ["a time past the end of its span", Buffer.concat([span([{ number: 7, wireType: 1, bytes: hex("05") }]), good])],
    ["flags past the end of their span", Buffer.concat([span([{ number: 16, wireType: 5, bytes: hex("05") }]), good])],
    ["a number past the end of its span", Buffer.concat([span([{ number: 6, wireType: 0, bytes: hex("85") }]), good])],
    ["an unknown field past the end", Buffer.concat([span([{ number: 99, wireType: 5, bytes: hex("05") }]), good])],
    ["a fixed number cut short", span([{ number: 7, wireType: 1, bytes: hex("0102") }])],
  ])("broken protobuf is refused: %s", (_name, body) => {
    const before = filledBatch();
    expect(() => decodeProtobuf(Buffer.concat([good, body]), before.batch, CONTEXT)).toThrow(MalformedBody);
    expectUnchanged(before);
  });
});

describe("depth", () => {
  const nested = (depth: number) => {
    let value: OtlpValue = { stringValue: "deep" };
    for (let i = 1; i < depth; i++)
      value = i % 2 ? { arrayValue: { values: [value] } } : { kvlistValue: { values: [{ key: "k", value }] } };
    return oneSpan({ attributes: [{ key: "a", value }] });
  };
  // protobufjs refuses to write messages this deep.
  const nestedProtobuf = (depth: number) => {
    const wrap = (bytes: Buffer, number: number) =>
      Buffer.concat([Buffer.from([(number << 3) | 2, (bytes.length & 127) | 128, bytes.length >> 7]), bytes]);
    let value = Buffer.from([10, 1, 120]);
    for (let i = 1; i < depth; i++) value = wrap(wrap(value, 1), 5);
    const ids = Buffer.from("0a10" + "ab".repeat(16) + "1208" + "cd".repeat(8) + "39" + "01".repeat(8), "hex");
    const attributeBytes = Buffer.concat([Buffer.from([10, 1, 97]), wrap(value, 2)]);
    return wrap(wrap(wrap(Buffer.concat([ids, wrap(attributeBytes, 9)]), 2), 2), 1);
  };

  test.each([
    ["JSON", decodeJson, (depth: number) => encodeJson(nested(depth))],
    ["protobuf", decodeProtobuf, nestedProtobuf],
  ] as const)("%s: a value of 100 levels is accepted, and one of 101 levels is refused", (_name, decode, body) => {
    const batch = new SpanBatch();
    decode(body(100), batch, CONTEXT);
    expect(expectReadable(batch)).toHaveLength(1);
    const before = filledBatch();
    expect(() => decode(body(101), before.batch, CONTEXT)).toThrow(MalformedBody);
    expectUnchanged(before);
  });

  test("JSON nested ten thousand deep in an unknown member is skipped or refused", () => {
    const deep = "[".repeat(10_000) + "]".repeat(10_000);
    expectAcceptedOrRefused(decodeJson, Buffer.from(`{"future":${deep},"resourceSpans":[]}`));
  });
});

describe("size", () => {
  test("20 MiB of control characters become six times as much text within the memory limit", () => {
    const attributes = Array.from({ length: 19 }, (_, i) => attribute(`k${i}`, "\u0001".repeat(1 << 20)));
    const body = encodeProtobuf(oneSpan({ attributes }));
    expect(body.length).toBeLessThan(BODY_LIMIT);
    const batch = new SpanBatch();
    decodeProtobuf(body, batch, CONTEXT);
    expect(batch.heapUsed).toBeGreaterThan(19 * 6 * (1 << 20));
    expect(batch.heap.length).toBeLessThan(320 << 20);
  });

  test("a body of 18 MiB of empty events is refused before it exhausts the memory", () => {
    const events = Buffer.alloc(18 << 20, Buffer.from([90, 0]));
    const length = (bytes: Buffer, tag: number) => {
      const n = bytes.length;
      return Buffer.concat([
        Buffer.from([tag, (n & 127) | 128, ((n >> 7) & 127) | 128, ((n >> 14) & 127) | 128, n >> 21]),
        bytes,
      ]);
    };
    const before = filledBatch();
    expect(() => decodeProtobuf(length(length(length(events, 18), 18), 10), before.batch, CONTEXT)).toThrow(/160 MiB/);
    expectUnchanged(before);
  });

  test("100,000 small spans share one resource of 60 KiB", () => {
    const spans = Array.from({ length: 100_000 }, () => aSpan({ name: "" }));
    const resource = { attributes: [attribute("big", "r".repeat(60 << 10)), attribute("session.id", "shared")] };
    const batch = new SpanBatch();
    const decoded = decodeProtobuf(
      encodeProtobuf({ resourceSpans: [{ resource, scopeSpans: [{ spans }] }] }),
      batch,
      CONTEXT,
    );
    expect(decoded.accepted).toBe(100_000);
    expect(batch.origins).toHaveLength(1);
    expect(batch.heapUsed).toBeLessThan(100_000 * 8);
    const sealed = batch.seal();
    expect(new Uint32Array(sealed.text).length).toBe(batch.capacity * 18);
  });

  test.each([
    ["deep nesting", `{"future":${"[".repeat(5 << 20)}${"]".repeat(5 << 20)}}`, "nested"],
    ["empty objects", `{"future":[${"{},".repeat(5 << 20)}{}]}`, "more than 1,400,000 values"],
    ["numbers", `{"future":[${"0,".repeat(9 << 20)}0]}`, "more than 1,400,000 values"],
  ])("a large JSON body of %s is refused before it exhausts the memory", async (_name, json, reason) => {
    const before = filledBatch();
    const refused = () => expect(() => decodeJson(Buffer.from(json), before.batch, NEW)).toThrow(reason);
    expect(await cpuTimeMs(refused)).toBeLessThan(1_000);
    expectUnchanged(before);
  });

  test("a large JSON body with brackets, commas and quotes in its texts is accepted", () => {
    const attributes = [
      attribute("k", '{[,\\"'.repeat(900_000)),
      attribute("deep", JSON.stringify([[["[".repeat(900_000)]]])),
    ];
    const batch = new SpanBatch();
    expect(decodeJson(encodeJson(oneSpan({ attributes })), batch, NEW).accepted).toBe(1);
  });

  test("a stored JSON body that an earlier version accepted is decoded however many values it has", () => {
    const values = Array.from({ length: 500_000 }, () => ({ intValue: "1" }));
    const body = encodeJson(oneSpan({ attributes: [{ key: "k", value: { arrayValue: { values } } }] }));
    expect(() => decodeJson(body, new SpanBatch(), NEW)).not.toThrow();
    const larger = Buffer.from(body.toString().replace('"values":[', `"values":[${'{"intValue":1},'.repeat(450_000)}`));
    expect(() => decodeJson(larger, new SpanBatch(), NEW)).toThrow("Send smaller batches");
    expect(decodeJson(larger, new SpanBatch(), CONTEXT).accepted).toBe(1);
  });

  test("a thousand scopes share one large resource", () => {
    const scopeSpans = Array.from({ length: 1000 }, (_, i) => ({ scope: { name: `s${i}` }, spans: [aSpan()] }));
    const resource = { attributes: [attribute("big", "r".repeat(60 << 10))] };
    const batch = new SpanBatch();
    decodeProtobuf(encodeProtobuf({ resourceSpans: [{ resource, scopeSpans }] }), batch, CONTEXT);
    expect(batch.origins).toHaveLength(1000);
    expect(new Set(batch.origins.map((origin) => origin.resource)).size).toBe(1);
  });
});

describe("bytes that are not UTF-8", () => {
  const broken = (text: string) => {
    const body = encodeProtobuf(
      oneSpan({
        name: text,
        status: { code: 2, message: `${text}!` },
        attributes: [attribute("k", text), attribute("session.id", text), attribute("other", "é")],
        events: [{ timeUnixNano: "1", name: text }],
      }),
    );
    return body;
  };

  test("bytes that are not UTF-8 are replaced by U+FFFD, and the span is accepted", () => {
    const body = broken("a#b");
    for (let i = body.indexOf("a#b"); i >= 0; i = body.indexOf("a#b", i + 1)) body[i + 1] = 0xff;
    const batch = new SpanBatch();
    decodeProtobuf(body, batch, CONTEXT);
    const [row] = expectReadable(batch);
    expect(row).toMatchObject({ name: "a\ufffdb", status_message: "a\ufffdb!", conversation: "a\ufffdb" });
    expect(JSON.parse(row!.attributes!)).toEqual({ k: "a\ufffdb", "session.id": "a\ufffdb", other: "é" });
    expect(row!.events).toContain('"name":"a\ufffdb"');
  });

  test("bytes that are not UTF-8 are replaced separately in two texts, even when together they would form one character", () => {
    const body = encodeProtobuf(oneSpan({ name: "n#", status: { code: 2, message: "#m" } }));
    body[body.indexOf("n#") + 1] = 0xc3;
    body[body.indexOf("#m")] = 0xa9;
    const batch = new SpanBatch();
    decodeProtobuf(body, batch, CONTEXT);
    expect(expectReadable(batch)[0]).toMatchObject({ name: "n\ufffd", status_message: "\ufffdm" });
  });

  test("bytes that are not UTF-8 are replaced in a resource too", () => {
    const body = encodeProtobuf({
      resourceSpans: [
        { resource: { attributes: [attribute("session.id", "a#b")] }, scopeSpans: [{ spans: [aSpan()] }] },
      ],
    });
    body[body.indexOf("a#b") + 1] = 0xff;
    const batch = new SpanBatch();
    decodeProtobuf(body, batch, CONTEXT);
    const [row] = expectReadable(batch);
    expect(row!.conversation).toBe("a\ufffdb");
    expect(JSON.parse(row!.resource)).toEqual({ attributes: { "session.id": "a\ufffdb" } });
  });
});
