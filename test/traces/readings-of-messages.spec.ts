import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LazyText } from "../../packages/server/src/traces/lazy-text.ts";
import { createSpanFinder } from "../../packages/server/src/traces/otlp/body-messages.ts";
import { createSpanMessageParser } from "../../packages/server/src/traces/otlp/parse-message.ts";
import { readingOf } from "../../packages/server/src/traces/store/reading.ts";
import type { StoredSpan } from "../../packages/server/src/traces/stored-span.ts";
import { liveKitRequest } from "../support/livekit-request.ts";
import { IS_LONG } from "../support/long-form.ts";
import { encodeProtobuf, type OtlpRequest } from "../support/otlp.ts";
import { captureSets } from "../support/spans-of-capture.ts";
import "../support/property-seed.ts";

const CAPTURES = new URL("../fixtures/otlp-captures/", import.meta.url);
const FACTS = { rootEnded: true, endedNs: 1n, lastReceivedMs: 1 };

const findSpans = createSpanFinder();
const parseMessage = createSpanMessageParser();

const requestsOf = (set: string): OtlpRequest[] =>
  readdirSync(new URL(`${set}/`, CAPTURES))
    .filter((file) => /\.(decoded|otlp)\.json$/.test(file))
    .sort()
    .map((file) => JSON.parse(readFileSync(new URL(`${set}/${file}`, CAPTURES), "utf8")) as OtlpRequest);

const parsed = (requests: readonly OtlpRequest[]): StoredSpan[] =>
  requests.flatMap((request) => findSpans(encodeProtobuf(request)).map(parseMessage));

/** Returns the span with strings in place of lazy texts. */
const withStrings = (span: StoredSpan): StoredSpan => ({
  ...span,
  attributes: Object.fromEntries(
    Object.entries(span.attributes).map(([key, value]) => [key, value instanceof LazyText ? String(value) : value]),
  ),
});

function expectSameReading(spans: readonly StoredSpan[]): void {
  expect(readingOf(spans, false, FACTS)).toStrictEqual(readingOf(spans.map(withStrings), false, FACTS));
}

describe.each([
  ...captureSets().map((set) => [set, requestsOf(set)] as const),
  ["a generated request", [liveKitRequest(2)]] as const,
])("attribute values that are decoded late change no derived conversation: %s", (_, requests) => {
  const spans = parsed(requests);

  test("each conversation is derived the same as from attribute values that are strings", () => {
    for (const conversation of Map.groupBy(spans, ({ traceId }) => traceId).values()) expectSameReading(conversation);
  });

  test("a part of the spans without some of their attributes is derived the same as from attribute values that are strings", () => {
    const keys = [...new Set(spans.flatMap(({ attributes }) => Object.keys(attributes)))];
    const part = fc.record({
      at: fc.subarray([...spans.keys()].slice(0, 200)),
      without: fc.subarray(keys, { maxLength: 10 }),
    });
    fc.assert(
      fc.property(part, ({ at, without }) => {
        const left = at.map((index) => {
          const attributes = { ...spans[index]!.attributes };
          for (const key of without) delete attributes[key];
          return { ...spans[index]!, attributes };
        });
        expectSameReading(left);
      }),
      { numRuns: IS_LONG ? 200 : 10 },
    );
  });
});

test("the recorded and generated calls have texts that stay lazy", () => {
  const spans = [...captureSets().flatMap(requestsOf), liveKitRequest(2)].flatMap((request) => parsed([request]));
  const values = spans.flatMap(({ attributes }) => Object.values(attributes));
  expect(values.filter((value) => value instanceof LazyText).length).toBeGreaterThan(300);
});
