import { Trace, type MeasureName } from "@svc/contract";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { conversationOf } from "../../packages/server/src/traces/conversation/conversation.ts";
import { gaps, intersection, lengthMs, union } from "../../packages/server/src/traces/measures/intervals.ts";
import { measuresOf } from "../../packages/server/src/traces/measures/measures-of.ts";
import { percentile } from "../../packages/server/src/traces/measures/percentile.ts";
import { presentTrace } from "../../packages/server/src/traces/present.ts";
import type { StoredSpan } from "../../packages/server/src/traces/stored-span.ts";
import { cpuTimeMs } from "../support/cpu-time.ts";
import { measured } from "../support/measured.ts";
import { captureSets, spansOfCapture } from "../support/spans-of-capture.ts";
import { EPOCH_NS, spanIdOf, storedSpan } from "../support/stored-span.ts";

/** The recorded voice calls without the attributes of the chat, because a shift of the spans does not change the times in the chat. */
const voiceCalls = captureSets()
  .filter((set) => set.includes("voice"))
  .map((set) => spansOfCapture(set).map((span) => withAttributes(span, ([key]) => !key.endsWith("chat_ctx"))));
const voiceCall = fc.constantFrom(...voiceCalls);

describe("measures of a recorded call", () => {
  test("measures of a recorded call do not change when the whole call is shifted in time or its spans come in another order", () => {
    const shift = fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n });
    fc.assert(
      fc.property(voiceCall, shift, fc.infiniteStream(fc.nat()), (call, byNs, random) => {
        const moved = call
          .map((span) => atTimes(span, (ns) => ns + byNs))
          .map((span) => [random.next().value, span] as const)
          .sort(([a], [b]) => a - b)
          .map(([, span]) => span);
        expect(exceptTimes(measured(moved))).toEqual(exceptTimes(measured(call)));
      }),
      { numRuns: 30 },
    );
  });

  test("measures of a recorded call double their times and keep their ratios and counts in a call that takes twice the time", () => {
    for (const call of voiceCalls) {
      const slow = call.map((span) => {
        const attributes = Object.entries(span.attributes).map(([key, value]) => [key, twiceStated(key, value)]);
        return {
          ...atTimes(span, (ns) => EPOCH_NS + (ns - EPOCH_NS) * 2n),
          attributes: Object.fromEntries(attributes),
        };
      });
      const [once, twice] = [measured(call), measured(slow)];
      const factors = { ms: 2, ratio: 1, count: 1, tokens: 1, "words/min": 0.5, dBFS: 1 };
      for (const name of Object.keys(once) as MeasureName[]) {
        if (name === "silence") continue; // the shortest time that counts as a silence is fixed
        const expected = once[name].samples.map(({ value }) => value * factors[once[name].unit]);
        expect(twice[name].samples).toHaveLength(expected.length);
        twice[name].samples.forEach(({ value }, at) => expect(value).toBeCloseTo(expected[at]!, 5));
      }
    }
  });

  test("measures of a recorded call do not change when one span of speech is divided into two", () => {
    const ofSpeech: MeasureName[] = ["overlap_ratio", "talk_ratio", "silence"];
    const ofTurns: MeasureName[] = ["response_latency", "words_per_minute"];
    fc.assert(
      fc.property(voiceCall, fc.nat(), fc.double({ min: 0, max: 1, noNaN: true }), (call, which, share) => {
        const speaking = call.filter(({ name }) => name === "user_speaking" || name === "agent_speaking");
        const cut = speaking[which % speaking.length]!;
        const atNs = cut.startNs + BigInt(Math.floor(Number(cut.endNs! - cut.startNs) * share));
        const pieces = [
          { ...cut, endNs: atNs },
          { ...cut, spanId: "ffffffffffffffff", startNs: atNs },
        ];
        const [whole, split] = [measured(call), measured([...call.filter((span) => span !== cut), ...pieces])];
        // An audio span of `session.say()` is a turn. When the span is divided, it becomes two turns, and measures of turns change.
        for (const name of hasTurn(call, cut) ? [...ofSpeech, ...ofTurns] : ofSpeech) {
          expect(split[name].samples.map(({ value }) => value.toFixed(3))).toEqual(
            whole[name].samples.map(({ value }) => value.toFixed(3)),
          );
        }
      }),
      { numRuns: 100 },
    );
  });

  test("measures of a recorded call stay within the bounds of each unit while spans are missing", () => {
    fc.assert(
      fc.property(
        voiceCall.chain((call) => fc.subarray(call)),
        (received) => isSound(measured(received)),
      ),
      { numRuns: 200 },
    );
  });
});

describe("hostile spans", () => {
  const keys = [
    ...new Set(captureSets().flatMap((set) => spansOfCapture(set).flatMap((span) => Object.keys(span.attributes)))),
  ].filter((key) => /lk\.|usage|time_to/.test(key));
  const names = [...new Set(captureSets().flatMap((set) => spansOfCapture(set).map(({ name }) => name)))];
  const number = fc.oneof(fc.double(), fc.integer(), fc.constantFrom(0, -1, 1e-300, 1e300, NaN, Infinity, 2 ** 53));
  const metrics = fc
    .dictionary(
      fc.constantFrom("ttft", "ttftMs", "ttfb", "prompt_tokens", "audioDurationMs", "metadata"),
      fc.anything(),
    )
    .map((value) => JSON.stringify(value, (_key, member) => (typeof member === "bigint" ? `${member}` : member)));
  const value = fc.oneof(fc.jsonValue(), number, number.map(String), metrics, fc.constantFrom("true", "committed", ""));
  const time = fc.oneof(fc.integer({ min: 0, max: 20 }), fc.constantFrom(1e12, 9e15 / 1e6));
  const hostile = fc.array(
    fc.record({
      name: fc.constantFrom(...names),
      parent: fc.option(fc.nat(20)),
      startMs: time,
      endMs: fc.option(time),
      status: fc.constantFrom("unset" as const, "error" as const),
      attributes: fc.dictionary(fc.constantFrom(...keys), value, { maxKeys: 8 }),
      resource: fc.constantFrom({}, { "telemetry.sdk.language": "python" }, { "telemetry.sdk.language": 7 }),
    }),
    { maxLength: 30 },
  );

  test("hostile spans give measures and a quality card in the contract's shape, without a throw", () => {
    fc.assert(
      fc.property(hostile, (list) => {
        const spans = list.map(({ parent, ...span }, id) =>
          storedSpan({ ...span, id: spanIdOf(id), ...(parent !== null && { parent: spanIdOf(parent) }) }),
        );
        isSound(measured(spans));
        const shown = presentTrace(ROW, spans, conversationOf(spans), false, 0);
        expect(Trace.safeParse(JSON.parse(JSON.stringify(shown))).error).toBeUndefined();
      }),
      { numRuns: 300 },
    );
  });

  test("the time to measure hostile spans grows with their number, not its square", async () => {
    const spans = Array.from({ length: 20_000 }, (_, at) =>
      storedSpan({
        id: `${at}`,
        name: ["user_turn", "user_speaking", "agent_turn", "agent_speaking", "llm_request", "tts_request"][at % 6]!,
        ...(at % 6 === 1 || at % 6 === 3 ? { parent: `${at - 1}` } : {}),
        startMs: at,
        endMs: at + 50_000,
        attributes: { "lk.user_transcript": "Hi", "lk.interrupted": true },
      }),
    );
    const conversation = conversationOf(spans);
    expect(await cpuTimeMs(() => measuresOf(conversation))).toBeLessThan(5_000);
  });
});

describe("a percentile", () => {
  test("a percentile is one of the values, by nearest rank", () => {
    const values = [15, 20, 35, 40, 50];
    expect([20, 30, 40, 50, 80].map((p) => percentile(values, p))).toEqual([15, 20, 20, 35, 40]);
    const twenty = Array.from({ length: 20 }, (_, at) => at + 1);
    expect(percentile(twenty.toReversed(), 95)).toBe(19);
  });

  test("a percentile is known from 5 values on, p95 from 20, p99 from 100", () => {
    const fewest = (p: number) => {
      const values: number[] = [];
      while (percentile(values, p) === null) values.push(values.length);
      return values.length;
    };
    expect([50, 80, 90, 95, 99].map(fewest)).toEqual([5, 5, 10, 20, 100]);
  });

  test("a percentile does not depend on the order in which values are pooled", () => {
    const list = fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { minLength: 5 });
    fc.assert(
      fc.property(list, list, (a, b) => {
        expect(percentile([...a, ...b], 50)).toBe(percentile([...b, ...a], 50));
        expect([...a, ...b]).toContain(percentile([...a, ...b], 50));
      }),
    );
  });
});

test("the union, the intersection and the gaps of intervals contain exactly the right moments", () => {
  const interval = fc.tuple(fc.nat(20), fc.nat(6)).map(([startMs, length]) => ({ startMs, endMs: startMs + length }));
  const intervals = fc.array(interval, { maxLength: 8 });
  const moments = Array.from({ length: 40 }, (_, at) => at + 0.5);
  const inside = (list: { startMs: number; endMs: number }[]) =>
    moments.filter((at) => list.some(({ startMs, endMs }) => startMs < at && at < endMs));
  fc.assert(
    fc.property(intervals, intervals, (a, b) => {
      const [first, second] = [union(a), union(b)];
      expect(inside(first)).toEqual(inside(a));
      expect(lengthMs(first)).toBe(inside(a).length);
      expect(inside(intersection(first, second))).toEqual(inside(a).filter((at) => inside(b).includes(at)));
      const within = { startMs: 3, endMs: 17 };
      const free = inside([within]).filter((at) => !inside(a).includes(at));
      expect(inside(gaps(first, within))).toEqual(free);
      expect(lengthMs(gaps(first, within))).toBe(free.length);
    }),
    { numRuns: 500 },
  );
});

const ROW = {
  traceId: "e87a0e1465e1d06e8d979e00fd1fec2a",
  traceIds: ["e87a0e1465e1d06e8d979e00fd1fec2a"],
  traces: 1,
  conversation: null,
  source: "production" as const,
  agent: null,
  agentVersion: null,
  channel: null,
  service: null,
  rootName: null,
  rootEnded: false,
  startedNs: EPOCH_NS,
  endedNs: null,
  spans: 0,
  errors: 0,
  isRead: true,
  turns: null,
  toolCalls: null,
  latency: null,
  textResponse: null,
  interruptions: null,
  qualityTopics: null,
  preview: null,
  reported: null,
  lastReceivedMs: 1_795_251_200_123,
};

function isSound(measures: ReturnType<typeof measured>): void {
  for (const { name, unit, provenance, reason, missing, samples, summary } of Object.values(measures)) {
    const values = samples.map(({ value }) => value);
    expect(values.every(Number.isFinite)).toBe(true);
    if (unit === "count" || unit === "tokens")
      expect(values.every((value) => Number.isInteger(value) && value >= 0)).toBe(true);
    if (unit === "ratio") expect(values.every((value) => value >= 0 && value <= 1)).toBe(true);
    const belowZero = name === "response_latency" || name === "unexplained_latency";
    if (unit === "ms" && !belowZero) expect(values.every((value) => value >= 0)).toBe(true);
    expect(summary.n).toBe(values.length);
    expect(Number.isInteger(missing) && missing >= 0).toBe(true);
    expect(provenance === "unavailable").toBe(reason !== null);
  }
}

const exceptTimes = (measures: ReturnType<typeof measured>) =>
  Object.values(measures).map(({ samples, summary, ...measure }) => ({
    ...measure,
    n: summary.n,
    samples: samples.map(({ provenance, turnIndex, value }) => [provenance, turnIndex, value.toFixed(6)]),
  }));

function twiceStated(key: string, value: unknown): unknown {
  if (/(_delay|latency|ttft|ttfb|wait_duration|time_to_first_chunk)$/.test(key)) return Number(value) * 2;
  if (!key.endsWith("_metrics")) return value;
  return String(value).replaceAll(/("ttf[tb](?:Ms)?": ?)([\d.]+)/g, (_, name, time) => name + Number(time) * 2);
}

const hasTurn = (call: readonly StoredSpan[], speech: StoredSpan) =>
  call.some(({ spanId, name }) => spanId === speech.parentSpanId && name.endsWith("_turn"));

const atTimes = (span: StoredSpan, of: (ns: bigint) => bigint): StoredSpan => ({
  ...span,
  startNs: of(span.startNs),
  endNs: span.endNs === null ? null : of(span.endNs),
});

function withAttributes(span: StoredSpan, keep: (entry: [string, unknown]) => boolean): StoredSpan {
  return { ...span, attributes: Object.fromEntries(Object.entries(span.attributes).filter(keep)) };
}
