import type { Measure, Trace } from "@svc/contract";
import { describe, expect, test } from "vitest";
import { differenceText, heardPairs, withoutPairs } from "../../packages/web/src/conversations/timeline/measures.ts";
import { timelineOf } from "../../packages/web/src/conversations/timeline/model.ts";
import { spansOf } from "../../packages/server/src/runs/after/spans.ts";
import type { SimulationRow } from "../../packages/server/src/runs/rules.ts";
import { callSummary, callTranscript, heardCall } from "../support/calls/call-summary.ts";
import { conversationOfSpans, recordedConversation } from "./support/recorded-conversation.ts";

const simulation = { id: "sim_1", attempt: 1, run_id: "run_1", ending_reason: "persona_concluded" } as SimulationRow;
const voice = recordedConversation("py-1.8.9-voice");

/** Returns the conversation as if the caller had also heard its answers, each this much later than reported. */
function heardLater(trace: Trace, byMs: number): Trace {
  const reported = trace.measures.find(({ name }) => name === "response_latency")!;
  const samples = reported.samples.map((sample) => ({
    ...sample,
    value: sample.value + byMs,
    provenance: "heard" as const,
  }));
  const mean = reported.summary.mean! + byMs;
  const heard: Measure = {
    ...reported,
    name: "heard_response_latency",
    provenance: "heard",
    samples,
    summary: { ...reported.summary, mean },
  };
  return { ...trace, measures: [...trace.measures.filter(({ name }) => name !== heard.name), heard] };
}

test("a heard measure is shown beside the reported one, with the difference of their means", () => {
  expect(heardPairs(voice.measures)).toEqual([]);
  const { measures } = heardLater(voice, 433);
  const pairs = heardPairs(measures);
  expect(pairs.map(({ label }) => label)).toEqual(["Response latency"]);
  expect(pairs[0]!.difference).toBeCloseTo(433, 6);
  expect(withoutPairs(measures, pairs).map(({ name }) => name)).not.toContain("response_latency");
  expect(withoutPairs(measures, pairs)).toHaveLength(measures.length - 2);
});

test("a measure from the sound has no difference when the agent's spans do not report the same measure", () => {
  const { measures } = heardLater(voice, 433);
  const unreported = measures.map((measure): Measure =>
    measure.name === "response_latency" ? { ...measure, provenance: "unavailable", reason: "No spans." } : measure,
  );
  expect(heardPairs(unreported)[0]).toMatchObject({ difference: null, reported: { reason: "No spans." } });
});

test("a turn has its heard answer beside a reported one, and none beside an answer that is heard itself", () => {
  const rows = timelineOf(heardLater(voice, 433)).turnRows;
  const answered = rows.filter(({ answer }) => answer !== null);
  expect(answered.length).toBeGreaterThan(1);
  for (const { answer, heardAnswerMs } of answered) expect(heardAnswerMs! - answer!.ms).toBeCloseTo(433, 6);
  const onlyHeard = heardLater(voice, 433);
  onlyHeard.measures = onlyHeard.measures.filter(({ name }) => name !== "response_latency");
  expect(timelineOf(onlyHeard).turnRows.every(({ heardAnswerMs }) => heardAnswerMs === null)).toBe(true);
});

describe("a call that the service placed", () => {
  /** The agent greets and gives an answer in the same turn. Later the caller interrupts it twice. */
  const answers = [{ callerEndMs: 5_000, agentStartMs: 6_240, responseMs: 1_240 }];
  const interruptions = [
    { atMs: 8_000, yieldMs: null, keptSpeakingMs: 350 },
    { atMs: 13_000, yieldMs: null, keptSpeakingMs: 1_890 },
  ];
  const transcript = callTranscript(callSummary({ heard: heardCall({ answers, interruptions }) }));
  const [greeting, caller, answer, ...rest] = transcript.turns;
  const joined = { ...answer!, startedMs: greeting!.startedMs };
  const call = conversationOfSpans(
    Object.values(spansOf(simulation, "Clinic", { ...transcript, turns: [caller!, joined, ...rest] })).flat(),
  );
  const model = timelineOf(call);

  test("an interruption is a band where the caller hears it, in the turn that was cut and in the one that cut it", () => {
    const cuts = model.turnRows.flatMap((row) => row.cuts);
    expect(cuts.map(({ wentOnMs, provenance, reportedMs }) => [wentOnMs, provenance, reportedMs])).toEqual([
      [350, "heard", null],
      [1_890, "heard", null],
    ]);
    // The trace begins 400 ms before the call.
    expect(cuts.map(({ atMs }) => Math.round(atMs))).toEqual([8_400, 13_400]);
    const first = model.turnRows.filter(({ bands }) => bands.some(({ fromMs }) => Math.round(fromMs) === 8_400));
    expect(first.map(({ turn }) => turn.role).toSorted()).toEqual(["agent", "user"]);
    for (const { cuts: own, bands } of model.turnRows)
      for (const { atMs, wentOnMs } of own) expect(bands).toContainEqual({ fromMs: atMs, untilMs: atMs + wentOnMs! });
  });

  test("the bar of an answer begins where the answer is heard, and not at a greeting in the same turn", () => {
    const [heard] = [...model.answers.values()];
    expect(Math.round(heard!.zeroMs)).toBe(5_400);
    expect(Math.round(heard!.heardMs)).toBe(6_640);
    expect(heard!.heardMs - heard!.zeroMs).toBeCloseTo(1_240, 6);
  });
});

test("an interruption that is heard and reported has both times", () => {
  const reported = voice.measures.find(({ name }) => name === "yield_latency")!;
  const [sample] = reported.samples;
  const heard: Measure = {
    ...reported,
    name: "heard_yield_latency",
    provenance: "heard",
    samples: [{ ...sample!, value: sample!.value + 600, provenance: "heard" }],
  };
  const both = { ...voice, measures: [...voice.measures.filter(({ name }) => name !== heard.name), heard] };
  const cuts = timelineOf(both).turnRows.flatMap((row) => row.cuts);
  expect(cuts).toHaveLength(1);
  expect(cuts[0]!.wentOnMs! - cuts[0]!.reportedMs!).toBeCloseTo(600, 6);
});

test("differences have a sign and a unit, and none of the size of nothing", () => {
  expect([433.4, -1_250, 0.2].map((ms) => differenceText(ms, "ms"))).toEqual(["+433 ms", "−1.25 s", "±0"]);
  expect([0.123, -0.05, 0.006, 0.0004].map((share) => differenceText(share, "ratio"))).toEqual([
    "+12.3 pp",
    "−5 pp",
    "+0.6 pp",
    "±0",
  ]);
});
