import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createDecoder } from "../../packages/server/src/traces/otlp/decoder.ts";
import { SpanBatch } from "../../packages/server/src/traces/span-batch.ts";
import { spansOfBody } from "../../packages/server/src/traces/store/body-spans.ts";
import { createSpanParser } from "../../packages/server/src/traces/store/span-row.ts";
import { liveKitRequest, random } from "../support/livekit-request.ts";
import { IS_LONG } from "../support/long-form.ts";
import { anyRequest, scramble } from "../support/otlp-arbitrary.ts";
import { CONTEXT } from "../support/otlp-reference.ts";
import { encodeProtobuf, type OtlpRequest } from "../support/otlp.ts";
import "../support/property-seed.ts";

const decoder = createDecoder();
const CAPTURES = new URL("../fixtures/otlp-captures/", import.meta.url);

/** Returns every span of a body, parsed from the decoder's text or from the spans' messages. */
function spansOf(body: Buffer, messages: boolean) {
  const batch = new SpanBatch(2, 64);
  decoder.decodeProtobuf(body, batch, { ...CONTEXT, messages });
  const spans = spansOfBody(batch, messages);
  const parse = createSpanParser();
  return Array.from({ length: batch.rows }, (_, row) =>
    parse({ ...spans.indexRow(row, { segment: 1, position: 0 }), ...spans.details(row) }),
  );
}

function expectSame(body: Buffer): void {
  expect(spansOf(body, true)).toStrictEqual(spansOf(body, false));
}

describe("a span's message has the same content as the decoder's text", () => {
  test.each(readdirSync(CAPTURES, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".bin")))(
    "in the captured body %s",
    (path) => expectSame(readFileSync(new URL(path, CAPTURES))),
  );

  test("in a generated LiveKit request", () => {
    const body = encodeProtobuf(liveKitRequest(4));
    expect(spansOf(body, true)).toHaveLength(512);
    expectSame(body);
  });

  test("in any request, also with reordered, unknown and repeated fields and split messages", () => {
    fc.assert(
      fc.property(anyRequest, fc.nat(), (request, seed) => {
        const body = encodeProtobuf(request);
        expectSame(body);
        expectSame(scramble(body, random(seed)));
      }),
      { numRuns: IS_LONG ? 1_000 : 50 },
    );
  });

  test("in a body with changed bytes, which may not be UTF-8", () => {
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

  test("with numbers that JSON lacks or rounds", () => {
    const bytesOf = (value: number) => Buffer.from(Float64Array.of(value).buffer);
    const doubles = [1.5, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 5e-324, 2 ** 63];
    const integers = [2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n), -(2n ** 53n) - 1n, 2n ** 31n, -(2n ** 31n) - 1n];
    const values = [
      ...doubles.map((doubleValue) => ({ doubleValue: doubleValue as never })),
      ...integers.map((value) => ({ intValue: String(value) })),
    ];
    const attributes = [{ key: "all", value: { arrayValue: { values } } }];
    const span = { traceId: "0a".repeat(16), spanId: "0b".repeat(8), startTimeUnixNano: "1", attributes };
    const body = encodeProtobuf({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] });
    bytesOf(-0).copy(body, body.indexOf(bytesOf(1.5))); // protobufjs writes 0 for -0
    expect(spansOf(body, true)[0]!.attributes["all"]).toHaveLength(values.length);
    expectSame(body);
  });

  const MIB = 1 << 20;
  test.each([
    ["a text of the limit", "a".repeat(MIB)],
    ["a longer text", "a".repeat(MIB + 1)],
    ["a longer text whose cut splits a character", `${"a".repeat(MIB - 10)}${"日".repeat(8)}`],
    ["a text with another byte than UTF-8", "a\u00ffb"],
    ["a text that replacements make longer than the limit", "\u00ff".repeat(MIB / 2)],
  ])("with %s", (_, value) => {
    const sent = "x".repeat(Buffer.byteLength(value));
    const key = "k".repeat(1_100);
    const request: OtlpRequest = {
      resourceSpans: [
        {
          scopeSpans: [
            {
              spans: [
                {
                  traceId: "0a".repeat(16),
                  spanId: "0b".repeat(8),
                  startTimeUnixNano: "1",
                  attributes: [
                    { key: "text", value: { stringValue: sent } },
                    { key, value: { bytesValue: Buffer.from(value).toString("base64") } },
                  ],
                  events: [{ timeUnixNano: "1", name: "n".repeat(1_100), attributes: [{ key, value: {} }] }],
                },
              ],
            },
          ],
        },
      ],
    };
    const body = encodeProtobuf(request);
    const isLatin1 = value.includes("\u00ff");
    Buffer.from(value, isLatin1 ? "latin1" : "utf8").copy(body, body.indexOf(sent));
    expectSame(body);
  });
});

function isAccepted(body: Buffer): boolean {
  try {
    return decoder.decodeProtobuf(body, new SpanBatch(2, 64), CONTEXT).accepted > 0;
  } catch {
    return false;
  }
}
