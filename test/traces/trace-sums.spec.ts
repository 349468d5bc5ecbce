import fc from "fast-check";
import { expect, test } from "vitest";
import { createDecoder } from "../../packages/server/src/traces/otlp/decoder.ts";
import { SpanBatch } from "../../packages/server/src/traces/span-batch.ts";
import { type TraceSums, traceSumsOf } from "../../packages/server/src/traces/store/index/trace-sums.ts";
import { bodyOf, spanOf, traceIdOf } from "../support/ingest.ts";
import { attribute, type OtlpSpan } from "../support/otlp.ts";

const START_NS = 1_795_251_159_000_000_000n;
const at = (seconds: number) => String(START_NS + BigInt(seconds) * 1_000_000_000n);

/** Returns the sums of the spans. Each span was received one millisecond after the previous span. */
function sumsOf(spans: readonly OtlpSpan[]): TraceSums[] {
  const batch = new SpanBatch(1, 1);
  const decoder = createDecoder();
  for (const [n, span] of spans.entries())
    decoder.decodeRecord({ ...bodyOf(7, [span]), lsn: (1_000 + n) * 1_000, receivedMs: 0 }, batch, { index: false });
  return traceSumsOf(batch, (row) => Math.floor(batch.columns.lsn[row]! / 1000));
}

const span = (number: number, from: number, to: number | null, fields: Partial<OtlpSpan> = {}) =>
  spanOf(1, number, { startTimeUnixNano: at(from), endTimeUnixNano: to === null ? "0" : at(to), ...fields });

const SPANS = [
  span(0, 2, null, { parentSpanId: "", name: "session", attributes: [attribute("session.id", "weak")] }),
  span(1, 1, 3, { attributes: [attribute("gen_ai.agent.name", "Bob")] }),
  span(2, 1, 9, { attributes: [attribute("gen_ai.agent.name", "Ada"), attribute("lk.job_id", "strong b")] }),
  span(3, 4, 5, { status: { code: 2 }, attributes: [attribute("lk.job_id", "strong a")] }),
  span(4, 2, 6, { parentSpanId: "", name: "session" }),
  span(5, 3, 8, { parentSpanId: "", name: "later" }),
];

test("the sums of a trace are those of its earliest root, its strongest name and its first agent, in any order of its spans", () => {
  fc.assert(
    fc.property(fc.shuffledSubarray(SPANS, { minLength: SPANS.length }), (order) => {
      expect(sumsOf(order)).toEqual([
        {
          project: 7,
          traceId: traceIdOf(1),
          startedNs: BigInt(at(1)),
          endedNs: BigInt(at(9)),
          errors: 1,
          spans: SPANS.length,
          rootName: "session",
          rootStartNs: BigInt(at(2)),
          rootEndNs: BigInt(at(6)),
          conversation: "strong a",
          conversationRank: 1,
          agent: "Ada",
          agentStartNs: BigInt(at(1)),
          service: "voice-agent",
          receivedFirstMs: 1_000,
          receivedLastMs: 1_000 + SPANS.length - 1,
        },
      ]);
    }),
  );
});

test("the sums of a trace without a root, a name, an agent and an end say so", () => {
  expect(sumsOf([span(1, 5, null)])).toMatchObject([
    { rootName: null, rootStartNs: null, rootEndNs: null, conversation: null, agent: null, endedNs: null },
  ]);
});

test("each trace of a batch has its own sums", () => {
  const sums = sumsOf([spanOf(1, 0), spanOf(2, 0), spanOf(1, 1)]);
  expect(sums.map(({ traceId, spans }) => [traceId, spans])).toEqual([
    [traceIdOf(1), 2],
    [traceIdOf(2), 1],
  ]);
});
