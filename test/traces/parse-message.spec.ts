import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LAZY_KEYS, LazyText } from "../../packages/server/src/traces/lazy-text.ts";
import { createSpanFinder } from "../../packages/server/src/traces/otlp/body-messages.ts";
import { createDecoder } from "../../packages/server/src/traces/otlp/decoder.ts";
import { MalformedBody } from "../../packages/server/src/traces/otlp/malformed-body.ts";
import { createSpanMessageParser } from "../../packages/server/src/traces/otlp/parse-message.ts";
import { SpanBatch } from "../../packages/server/src/traces/span-batch.ts";
import { createSpanParser } from "../../packages/server/src/traces/store/span-row.ts";
import type { StoredSpan } from "../../packages/server/src/traces/stored-span.ts";
import { liveKitRequest, random } from "../support/livekit-request.ts";
import { IS_LONG } from "../support/long-form.ts";
import { anyRequest, scramble } from "../support/otlp-arbitrary.ts";
import { CONTEXT, rowsByReflection } from "../support/otlp-reference.ts";
import { encodeProtobuf, type OtlpSpan } from "../support/otlp.ts";
import { readRows } from "../support/span-rows.ts";
import "../support/property-seed.ts";

const decoder = createDecoder();
const findSpans = createSpanFinder();
const parseMessage = createSpanMessageParser();
const CAPTURES = new URL("../fixtures/otlp-captures/", import.meta.url);

/** Returns the spans of a body, parsed from their messages; lazy texts become strings. */
function spansOfMessages(body: Buffer): StoredSpan[] {
  return findSpans(body).map((message) => {
    const span = parseMessage(message);
    expect(span.traceId).toBe(hexOf((message.traceHigh << 64n) | message.traceLow, 32));
    expect(span.spanId).toBe(hexOf(message.spanId, 16));
    const lazy = [span, ...span.events].map(({ attributes }) => ({ attributes, lazy: lazyKeysIn(attributes) }));
    for (const { attributes, lazy: keys } of lazy) for (const key of keys) attributes[key] = String(attributes[key]);
    return span;
  });
}

const lazyKeysIn = (attributes: Record<string, unknown>) =>
  Object.keys(attributes).filter((key) => attributes[key] instanceof LazyText);

const hexOf = (id: bigint, digits: number) => id.toString(16).padStart(digits, "0");

/** Returns the spans of a body, parsed from the JSON that the decoder writes. */
function spansOfText(body: Buffer): StoredSpan[] {
  const batch = new SpanBatch(2, 64);
  decoder.decodeProtobuf(body, batch, CONTEXT);
  const parse = createSpanParser();
  return readRows(batch).map((row) =>
    parse({
      project: row.project,
      trace_id: BigInt(`0x${row.trace_id}`),
      span_id: BigInt(`0x${row.span_id}`),
      parent_span_id: row.parent_span_id === null ? null : BigInt(`0x${row.parent_span_id}`),
      start_ns: row.start_ns,
      end_ns: row.end_ns || null,
      status: row.status,
      name: row.name,
      kind: row.kind,
      statusMessage: row.status_message,
      attributes: row.attributes,
      events: row.events,
      links: row.links,
      resource: row.resource,
      scope: row.scope,
    }),
  );
}

/** Returns the spans of a body as protobufjs decodes them. */
function spansByReflection(body: Buffer): StoredSpan[] {
  return (roundedIn(rowsByReflection(body)) as ReturnType<typeof rowsByReflection>).map((row) => {
    const resource = row["resource"] as { attributes: Record<string, unknown> };
    const scope = row["scope"] as { name: string; version: string };
    const events = (row["events"] ?? []) as { time_ns: string; name: string; attributes: Record<string, unknown> }[];
    return {
      traceId: row["trace_id"] as string,
      spanId: row["span_id"] as string,
      parentSpanId: row["parent_span_id"] as string | null,
      name: row["name"] as string,
      kind: row["kind"] as number,
      startNs: BigInt(row["start_ns"] as string),
      endNs: BigInt(row["end_ns"] as string) || null,
      status: (["unset", "ok", "error"] as const)[row["status"] as number]!,
      statusMessage: row["status_message"] as string | null,
      attributes: row["attributes"] as Record<string, unknown>,
      events: events.map(({ time_ns, name, attributes }) => ({ timeNs: BigInt(time_ns), name, attributes })),
      links: (row["links"] ?? []) as unknown[],
      resource: resource.attributes,
      scopeName: scope.name || null,
      scopeVersion: scope.version || null,
    };
  });
}

/** Replaces each 64-bit number by the nearest double, as a parsed span has it, and each time in nanoseconds by a text. */
function roundedIn(value: unknown, key = ""): unknown {
  if (typeof value === "bigint") return key.endsWith("_ns") ? String(value) : Number(value);
  if (Array.isArray(value)) return value.map((item) => roundedIn(item));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, roundedIn(item, name)]));
}

const expectSame = (body: Buffer): void => expect(spansOfMessages(body)).toStrictEqual(spansOfText(body));

/** Returns a body with this one span. */
const bodyOf = (span: Partial<OtlpSpan>): Buffer => {
  const ids = { traceId: "0a".repeat(16), spanId: "0b".repeat(8), startTimeUnixNano: "1" };
  return encodeProtobuf({ resourceSpans: [{ scopeSpans: [{ spans: [{ ...ids, ...span } as OtlpSpan] }] }] });
};

describe("a span parsed from its message equals the span of the decoder's text", () => {
  test.each(readdirSync(CAPTURES, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".bin")))(
    "a span parsed from its message equals the span of the decoder's text in the captured body %s",
    (path) => expectSame(readFileSync(new URL(path, CAPTURES))),
  );

  test("a span parsed from its message equals the span of the decoder's text in a generated LiveKit request", () => {
    const body = encodeProtobuf(liveKitRequest(4));
    expect(spansOfMessages(body)).toHaveLength(512);
    expectSame(body);
  });

  test("a span parsed from its message equals the span of the decoder's text in any request, even with reordered, unknown and repeated fields and split messages", () => {
    fc.assert(
      fc.property(anyRequest, fc.nat(), (request, seed) => {
        const body = encodeProtobuf(request);
        for (const sent of [body, scramble(body, random(seed))]) {
          expectSame(sent);
          expect(spansOfMessages(sent)).toEqual(spansByReflection(sent));
        }
      }),
      { numRuns: IS_LONG ? 1_000 : 50 },
    );
  });

  test("a span parsed from its message equals the span of the decoder's text in a body with changed bytes, which may not be UTF-8", () => {
    const change = fc.record({ at: fc.nat(), byte: fc.integer({ min: 0, max: 255 }) });
    fc.assert(
      fc.property(anyRequest, fc.array(change, { minLength: 1, maxLength: 3 }), (request, changes) => {
        const body = encodeProtobuf(request);
        for (const { at, byte } of changes) if (body.length > 0) body[at % body.length] = byte;
        fc.pre(isAccepted(body));
        expectSame(body);
      }),
      { numRuns: IS_LONG ? 2_000 : 80 },
    );
  });

  test.each([
    ["a list with a length past its end", [42, 3, 10, 9, 0], []],
    ["an object with a length past its end", [50, 3, 10, 9, 0], []],
    ["a list in an earlier piece of the value", [], [42, 3, 10, 9, 0]],
    ["a list with a list in place of a text, continued by another one", [42, 2, 10, 0, 42, 2, 10, 0], []],
  ])(
    "a span parsed from its message equals the span of the decoder's text when a later member replaces %s",
    (_, before, earlier) => {
      const field = (tag: number, bytes: readonly number[]) => [tag, bytes.length, ...bytes];
      const replaced = field(18, [...before, ...field(10, [120])]);
      const pieces = earlier.length > 0 ? field(18, earlier) : [];
      const attribute = field(74, [...field(10, [97]), ...pieces, ...replaced]);
      const ids = [
        ...field(10, Array<number>(16).fill(1)),
        ...field(18, Array<number>(8).fill(2)),
        57,
        1,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
      ];
      const body = Buffer.from(field(10, field(18, field(18, [...ids, ...attribute]))));
      expect(isAccepted(body)).toBe(true);
      expect(spansOfMessages(body)).toMatchObject([{ attributes: { a: "x" } }]);
      expectSame(body);
    },
  );

  test("a span parsed from its message equals the span of the decoder's text with numbers that JSON lacks or rounds", () => {
    const bytesOf = (value: number) => Buffer.from(Float64Array.of(value).buffer);
    const doubles = [1.5, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 5e-324, 2 ** 63];
    const integers = [2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n), -(2n ** 53n) - 1n, 2n ** 31n, -(2n ** 31n) - 1n];
    const values = [
      ...doubles.map((doubleValue) => ({ doubleValue: doubleValue as never })),
      ...integers.map((value) => ({ intValue: String(value) })),
    ];
    const attributes = [{ key: "all", value: { arrayValue: { values } } }];
    const body = bodyOf({ attributes });
    bytesOf(-0).copy(body, body.indexOf(bytesOf(1.5))); // protobufjs writes 0 for -0
    expect(spansOfMessages(body)[0]!.attributes["all"]).toHaveLength(values.length);
    expectSame(body);
  });

  test("a span parsed from its message equals the span of the decoder's text with long texts that stay bytes until they are asked for, even in pieces", () => {
    const value = fc.oneof(
      fc.string({ minLength: 60, maxLength: 200 }).map((text) => ({ stringValue: text.toWellFormed() })),
      fc.array(fc.string({ maxLength: 40 })).map((texts) => ({
        arrayValue: { values: texts.map((text) => ({ stringValue: text.toWellFormed() })) },
      })),
    );
    const attributes = fc.array(fc.record({ key: fc.constantFrom(...LAZY_KEYS), value }), { minLength: 1 });
    let lazy = 0;
    fc.assert(
      fc.property(attributes, fc.nat(), (drawn, seed) => {
        const body = bodyOf({ attributes: drawn, events: [{ timeUnixNano: "1", name: "e", attributes: drawn }] });
        for (const sent of [body, scramble(body, random(seed))]) {
          for (const message of findSpans(sent)) lazy += lazyKeysIn(parseMessage(message).attributes).length;
          expectSame(sent);
          expect(spansOfMessages(sent)).toEqual(spansByReflection(sent));
        }
      }),
      { numRuns: IS_LONG ? 500 : 30 },
    );
    expect(lazy).toBeGreaterThan(0);
  });

  test("a span parsed from its message equals the span of the decoder's text with a resource whose attributes are too many to keep all", () => {
    const attributes = Array.from({ length: 90 }, (_, at) => ({
      key: `k${at}`,
      value: { stringValue: "\u0001é".repeat(300) },
    }));
    const span = { traceId: "0a".repeat(16), spanId: "0b".repeat(8), startTimeUnixNano: "1" } as OtlpSpan;
    const body = encodeProtobuf({ resourceSpans: [{ resource: { attributes }, scopeSpans: [{ spans: [span] }] }] });
    const kept = Object.keys(spansOfMessages(body)[0]!.resource).length;
    expect(kept).toBeGreaterThan(10);
    expect(kept).toBeLessThan(90);
    expectSame(body);
  });

  const MIB = 1 << 20;
  test.each([
    ["a text of the limit", "a".repeat(MIB)],
    ["a longer text", "a".repeat(MIB + 1)],
    ["a longer text whose cut splits a character", `${"a".repeat(MIB - 10)}${"日".repeat(8)}`],
    ["a text with another byte than UTF-8", "a\u00ffb"],
    ["a text that replacements make longer than the limit", "\u00ff".repeat(MIB / 2)],
  ])("a span parsed from its message equals the span of the decoder's text with %s", (_, value) => {
    const sent = "x".repeat(Buffer.byteLength(value));
    const key = "k".repeat(1_100);
    const body = bodyOf({
      attributes: [
        { key: "text", value: { stringValue: sent } },
        { key, value: { bytesValue: Buffer.from(value).toString("base64") } },
      ],
      events: [{ timeUnixNano: "1", name: "n".repeat(1_100), attributes: [{ key, value: {} }] }],
    });
    const isLatin1 = value.includes("\u00ff");
    Buffer.from(value, isLatin1 ? "latin1" : "utf8").copy(body, body.indexOf(sent));
    expectSame(body);
  });
});

test("a body or a message that was changed or cut off is refused, or parsed to its end", () => {
  const change = fc.record({ at: fc.nat(), byte: fc.integer({ min: 0, max: 255 }) });
  fc.assert(
    fc.property(
      anyRequest,
      fc.array(change, { maxLength: 4 }),
      fc.nat(),
      fc.boolean(),
      (request, changes, cut, all) => {
        const whole = encodeProtobuf(request);
        const found = findSpans(whole);
        for (const { at, byte } of changes) if (whole.length > 0) whole[at % whole.length] = byte;
        const body = all ? whole : whole.subarray(0, cut % (whole.length + 1));
        if (isAccepted(body)) expectSame(body);
        else orRefused(() => findSpans(body).forEach(parseMessage));
        for (const message of found) {
          const to = message.from + (cut % (message.to - message.from + 1));
          orRefused(() => parseMessage({ ...message, to }));
        }
      },
    ),
    { numRuns: IS_LONG ? 3_000 : 100 },
  );
});

function orRefused(parse: () => unknown): void {
  try {
    parse();
  } catch (error) {
    expect(error).toBeInstanceOf(MalformedBody);
  }
}

function isAccepted(body: Buffer): boolean {
  try {
    return decoder.decodeProtobuf(body, new SpanBatch(2, 64), CONTEXT).accepted > 0;
  } catch {
    return false;
  }
}
