import { MEASURES } from "@svc/contract";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { conversationOf } from "../../packages/server/src/traces/conversation/conversation.ts";
import { presentTrace } from "../../packages/server/src/traces/present.ts";
import { unpackSamples } from "../../packages/server/src/traces/store/packed-samples.ts";
import { readingOf } from "../../packages/server/src/traces/store/reading.ts";
import type { StoredSpan } from "../../packages/server/src/traces/stored-span.ts";
import {
  agentSpeaks,
  agentTurn,
  child,
  measured,
  session,
  userSpeaks,
  userTurn,
  valuesOf,
} from "../support/measured.ts";
import "../support/property-seed.ts";
import { captureSets, spansOfCapture } from "../support/spans-of-capture.ts";
import { EPOCH_NS } from "../support/stored-span.ts";
import { summaryRow } from "../support/summary-row.ts";

const FACTS = { rootEnded: true, endedNs: null, lastReceivedMs: 0 };
const HOUR_MS = 3_600_000;
const YEAR_MS = 365 * 24 * HOUR_MS;
const YEAR_NS = BigInt(YEAR_MS) * 1_000_000n;

const traceOf = (spans: StoredSpan[], lostSpans = 0) =>
  presentTrace(summaryRow(), spans, conversationOf(spans, lostSpans), false, 0);

/** A call with two answered turns, a tool call and a silence. */
const CALL = [
  session(40_000),
  userTurn("u1", 1_000, 3_000),
  userSpeaks("u1", 1_000, 2_800),
  agentTurn("a1", 3_000, 7_000),
  agentSpeaks("a1", 3_500, 7_000),
  child("function_tool", "a1", 3_100, 3_400, { "lk.function_tool.name": "book" }),
  userTurn("u2", 12_000, 14_000),
  userSpeaks("u2", 12_000, 13_900),
  agentTurn("a2", 14_000, 18_000),
  agentSpeaks("a2", 14_700, 18_000),
];

const changed = (id: string, times: { startNs?: bigint; endNs?: bigint }) =>
  CALL.map((span) => (span.spanId.startsWith(id) ? { ...span, ...times } : span));

describe("impossible times", () => {
  test("recorded conversations have none", () => {
    for (const set of captureSets()) {
      const { impossibleTimes, notes } = traceOf(spansOfCapture(set)).quality;
      expect([set, impossibleTimes, notes.filter(({ about }) => about === "times")]).toEqual([set, 0, []]);
    }
    expect(traceOf(CALL).quality.impossibleTimes).toBe(0);
  });

  const at = (ms: number) => EPOCH_NS + BigInt(ms) * 1_000_000n;
  const cases: [string, StoredSpan[]][] = [
    ["a tool call of 73 years", changed("function_tool", { endNs: at(73 * YEAR_MS) })],
    ["a tool call that ends before its start", changed("function_tool", { endNs: at(-5 * YEAR_MS) })],
    ["a turn of the user in 1971", changed("u1", { startNs: YEAR_NS, endNs: YEAR_NS + 2_000_000_000n })],
    ["speech of the agent that lasts two hours", changed("agent_speaking a2", { endNs: at(14_700 + 2 * HOUR_MS) })],
    ["speech of the user that ends before its start", changed("user_speaking u2", { endNs: at(0) })],
    ["a session that begins in 1971", changed("session", { startNs: YEAR_NS })],
    ["a session of two days", changed("session", { endNs: at(48 * HOUR_MS) })],
    [
      "a worker's clock three days ahead of the user's",
      CALL.map((span) => (/^a|agent/.test(span.spanId) ? later(span) : span)),
    ],
  ];

  function later(span: StoredSpan): StoredSpan {
    const by = 72n * BigInt(HOUR_MS) * 1_000_000n;
    return { ...span, startNs: span.startNs + by, endNs: span.endNs === null ? null : span.endNs + by };
  }

  test.each(cases)("%s is noted on the card and enters no measure and no duration", (_, spans) => {
    const trace = traceOf(spans);
    expect(trace.quality.impossibleTimes).toBeGreaterThan(0);
    expect(trace.quality.notes.map(({ about }) => about)).toContain("times");
    expectPossible(spans);
  });

  test("the other values of the conversation stay", () => {
    const measures = measured(changed("function_tool", { endNs: at(73 * YEAR_MS) }));
    expect(valuesOf(measures.tool_latency)).toContain("impossible");
    expect(valuesOf(measures.response_latency)).toEqual(valuesOf(measured(CALL).response_latency));
    expect(valuesOf(measures.talk_ratio)).toEqual(valuesOf(measured(CALL).talk_ratio));
  });

  test("no time and no number that a sender can write makes a value outside the bounds", () => {
    const captures = captureSets().map(spansOfCapture);
    const absurd = fc.oneof(
      fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }),
      fc.constantFrom(0n, 1n, YEAR_NS, EPOCH_NS, EPOCH_NS + 73n * YEAR_NS, 2n ** 63n - 1n),
      fc.integer({ min: -10 * HOUR_MS, max: 100 * HOUR_MS }).map((ms) => EPOCH_NS + BigInt(ms) * 1_000_000n),
    );
    const number = fc.oneof(fc.double(), fc.constantFrom(-1, 1e300, -29_829_612, 2 ** 53, Number.NaN));
    const choice = fc.record({
      which: fc.nat(99),
      startNs: fc.option(absurd),
      endNs: fc.option(absurd),
      number: fc.option(number),
    });
    fc.assert(
      fc.property(fc.constantFrom(...captures), fc.array(choice, { minLength: 1, maxLength: 6 }), (spans, choices) => {
        const mutated = spans.slice(0, 400).map((span, index) => {
          const one = choices.find(({ which }) => index % 100 === which);
          if (one === undefined) return span;
          const attributes = Object.entries(span.attributes).map(([key, value]) => [
            key,
            typeof value === "number" && one.number !== null ? one.number : value,
          ]);
          return {
            ...span,
            startNs: one.startNs ?? span.startNs,
            endNs: one.endNs ?? span.endNs,
            attributes: Object.fromEntries(attributes),
          };
        });
        expectPossible(mutated);
      }),
      { numRuns: 300 },
    );
  });
});

/**
 * Expects each value of the conversation, in the answer and as stored, within bounds, which this spec states without the code of
 * the service.
 */
function expectPossible(spans: StoredSpan[]): void {
  const trace = traceOf(spans);
  const moments: number[] = [];
  for (const { name, samples, summary } of trace.measures) {
    const [least, most] = {
      ms: [/^(response|unexplained|heard_response)_latency$/.test(name) ? -60_000 : 0, HOUR_MS],
      ratio: [0, 1],
      count: [0, 1e8],
      "words/min": [0, 1_000],
      tokens: [0, 1e9],
      dBFS: [-120, 0],
    }[MEASURES[name].unit] as [number, number];
    for (const value of [...samples.map((sample) => sample.value), summary.min ?? 0, summary.max ?? 0]) {
      expect(value, name).toBeGreaterThanOrEqual(least);
      expect(value, name).toBeLessThanOrEqual(most);
    }
    moments.push(...samples.map((sample) => Date.parse(sample.at)));
  }
  const { first, last } = moments.reduce(
    ({ first, last }, ms) => ({ first: Math.min(first, ms), last: Math.max(last, ms) }),
    { first: Infinity, last: -Infinity },
  );
  if (moments.length > 0) expect(last - first).toBeLessThanOrEqual(48 * HOUR_MS);
  for (const { durationMs } of [...trace.turns, ...trace.toolCalls]) {
    expect(durationMs ?? 0).toBeGreaterThanOrEqual(0);
    expect(durationMs ?? 0).toBeLessThanOrEqual(24 * HOUR_MS);
  }
  expect(unpackSamples(readingOf(spans, false, FACTS).samples).map(({ value }) => value)).toEqual(
    trace.measures.flatMap(({ samples }) => samples.map(({ value }) => value)).slice(0, 10_000),
  );
}

describe("lost spans", () => {
  const rest = CALL.filter(({ spanId }) => spanId !== "a2");

  test("the card counts the spans that are lost, and all counts and measures are unknown", () => {
    const trace = traceOf(rest, 1);
    expect(trace.quality.spansWithoutContent).toBe(1);
    expect(trace.quality.notes.map(({ about }) => about)).toContain("lost_content");
    expect(new Set(trace.measures.map(({ provenance }) => provenance))).toEqual(new Set(["unavailable"]));
    const reading = readingOf(rest, false, FACTS, 1);
    expect([reading.turns, reading.toolCalls, reading.latency, reading.samples.length]).toEqual([null, null, null, 0]);
  });
});
