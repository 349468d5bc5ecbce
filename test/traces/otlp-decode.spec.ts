import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createDecoder } from "../../packages/server/src/traces/otlp/decoder.ts";
import { SpanBatch } from "../../packages/server/src/traces/span-batch.ts";
import { liveKitRequest, random } from "../support/livekit-request.ts";
import { IS_LONG } from "../support/long-form.ts";
import { anyRequest, scramble } from "../support/otlp-arbitrary.ts";
import { CONTEXT, plainRow, rowsByReflection, rowsOf } from "../support/otlp-reference.ts";
import { encodeJson, encodeProtobuf, type OtlpRequest } from "../support/otlp.ts";
import { readRows } from "../support/span-rows.ts";

const { decodeJson, decodeProtobuf } = createDecoder();
type Decode = typeof decodeProtobuf;

const CAPTURES = new URL("../fixtures/otlp-captures/", import.meta.url);
const captures = (ending: string) =>
  readdirSync(CAPTURES, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(ending));
const read = (path: string) => readFileSync(new URL(path, CAPTURES));

function decoded(decode: Decode, body: Buffer, batch = new SpanBatch(2, 64)) {
  decode(body, batch, CONTEXT);
  return readRows(batch).map(plainRow);
}

describe("captured bodies", () => {
  test.each(captures(".bin"))("%s gives the same rows from protobuf, from JSON and with protobufjs", (path) => {
    const expected = rowsByReflection(read(path));
    expect(expected.length).toBeGreaterThan(0);
    expect(decoded(decodeProtobuf, read(path))).toEqual(expected);
    expect(decoded(decodeJson, read(path.replace(".bin", ".decoded.json")))).toEqual(expected);
  });

  test.each(captures(".otlp.json"))("%s gives the rows of its spans", (path) => {
    const expected = rowsOf(JSON.parse(read(path).toString()) as OtlpRequest);
    expect(expected.length).toBeGreaterThan(0);
    expect(decoded(decodeJson, read(path))).toEqual(expected);
  });
});

test("a generated LiveKit request of 512 spans gives the same rows with both decoders and with protobufjs", () => {
  const request = liveKitRequest(3);
  const expected = rowsByReflection(encodeProtobuf(request));
  expect(expected).toHaveLength(512);
  expect(decoded(decodeProtobuf, encodeProtobuf(request))).toEqual(expected);
  expect(decoded(decodeJson, encodeJson(request))).toEqual(expected);
});

test("any request gives the same rows from protobuf, from JSON and with protobufjs", () => {
  fc.assert(
    fc.property(anyRequest, (request) => {
      const body = encodeProtobuf(request);
      const expected = rowsByReflection(body);
      expect(decoded(decodeProtobuf, body)).toEqual(expected);
      expect(decoded(decodeJson, encodeJson(request))).toEqual(expected);
    }),
    { numRuns: IS_LONG ? 300 : 50 },
  );
});

test("reordered, unknown and repeated fields and split messages give the same rows as with protobufjs", () => {
  fc.assert(
    fc.property(anyRequest, fc.nat(), (request, seed) => {
      const body = scramble(encodeProtobuf(request), random(seed));
      expect(decoded(decodeProtobuf, body)).toEqual(rowsByReflection(body));
    }),
    { numRuns: IS_LONG ? 300 : 50 },
  );
});

test("several bodies fill one batch, and equal resources and scopes are stored once", () => {
  const batch = new SpanBatch(1, 16);
  const [first, second] = [liveKitRequest(1, { spans: 20 }), liveKitRequest(2, { spans: 20 })];
  decodeProtobuf(encodeProtobuf(first), batch, { ...CONTEXT, lsn: 1 });
  decodeJson(encodeJson(second), batch, { ...CONTEXT, lsn: 2 });
  expect(batch.lastLsn).toBe(2);
  expect(batch.origins).toHaveLength(1);
  const expected = [...rowsOf(first), ...rowsOf(second)].map((row, i) => ({ ...row, lsn: i < 20 ? 1 : 2 }));
  expect(readRows(batch).map(plainRow)).toEqual(expected);
});

describe("decoding with `index`", () => {
  const INDEXED = [
    "trace_id",
    "span_id",
    "parent_span_id",
    "start_ns",
    "end_ns",
    "received_ms",
    "lsn",
    "project",
    "status",
    "conversation_rank",
    "name",
    "conversation",
    "agent",
    "service",
  ] as const;
  const indexed = (rows: object[]) => rows.map((row) => INDEXED.map((name) => (row as Record<string, unknown>)[name]));

  function indexOf(decode: Decode, body: Buffer) {
    const batch = new SpanBatch(2, 64);
    const result = decode(body, batch, { ...CONTEXT, index: true });
    batch.origins.push({ resource: "{}", scope: "{}" });
    const rows = readRows(batch).map((row) => ({ ...row, attributes: "{}", events: "[]", links: "[]" }));
    return { result, rows: indexed(rows.map(plainRow)) };
  }

  test("decoding with `index` gives the same ids, times and names as full decoding, from both encodings", () => {
    fc.assert(
      fc.property(anyRequest, (request) => {
        const body = encodeProtobuf(request);
        const whole = decodeProtobuf(body, new SpanBatch(2, 64), CONTEXT);
        const fromProtobuf = indexOf(decodeProtobuf, body);
        expect(fromProtobuf).toEqual({ result: whole, rows: indexed(rowsByReflection(body)) });
        expect(indexOf(decodeJson, encodeJson(request))).toEqual(fromProtobuf);
      }),
      { numRuns: IS_LONG ? 300 : 50 },
    );
  });

  test("decoding with `index` refuses the same bodies with a changed byte as full decoding", () => {
    const bodies = captures(".bin").map(read);
    const outcomeOf = (body: Buffer, index: boolean) => {
      try {
        return decodeProtobuf(body, new SpanBatch(2, 64), { ...CONTEXT, index });
      } catch (error) {
        return (error as Error).message;
      }
    };
    fc.assert(
      fc.property(fc.nat(bodies.length - 1), fc.nat(), fc.integer({ min: 0, max: 255 }), (which, at, byte) => {
        const body = Buffer.from(bodies[which]!);
        body[at % body.length] = byte;
        expect(outcomeOf(body, true)).toEqual(outcomeOf(body, false));
      }),
      { numRuns: IS_LONG ? 500 : 75 },
    );
  });

  test("decoding with `index` keeps no text of a span except its names", () => {
    const batch = new SpanBatch();
    decodeProtobuf(encodeProtobuf(liveKitRequest(5)), batch, { ...CONTEXT, index: true });
    expect(batch.rows).toBe(512);
    expect(batch.heapUsed).toBeLessThan(512 * 120);
  });
});
