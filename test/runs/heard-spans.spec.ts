import { isHeardMeasure, MEASURE_NAMES, type MeasureName } from "@svc/contract";
import { describe, expect, test } from "vitest";
import { otlpOf, spansOf } from "../../packages/server/src/runs/after/spans.ts";
import type { SimulationRow } from "../../packages/server/src/runs/rules.ts";
import { conversationOf } from "../../packages/server/src/traces/conversation/conversation.ts";
import { readMeasures } from "../../packages/server/src/traces/measures/measures-of.ts";
import { presentTrace } from "../../packages/server/src/traces/present.ts";
import { qualityOf } from "../../packages/server/src/traces/conversation/quality.ts";
import type { StoredSpan } from "../../packages/server/src/traces/stored-span.ts";
import { callSummary, callTranscript, heardCall } from "../support/calls/call-summary.ts";
import { measured, valuesOf } from "../support/measured.ts";
import { spansOfOtlp } from "../support/spans-of-capture.ts";
import { storedSpan } from "../support/stored-span.ts";
import { summaryRow } from "../support/summary-row.ts";

const simulation = {
  id: "sim_1",
  attempt: 1,
  run_id: "run_1",
  test_name: "Books a table",
  persona_name: "Ana",
  ending_reason: "persona_concluded",
} as SimulationRow;

/** Returns the spans of a call in the form in which the trace store returns them. */
function spansOfCall(transcript = callTranscript(), parts: ("turns" | "toolUses")[] = ["turns", "toolUses"]) {
  const { root, ofCall, ...others } = spansOf(simulation, "Booking agent", transcript);
  return spansOfOtlp(otlpOf([root, ...parts.flatMap((part) => others[part]), ...ofCall]) as never);
}

const HEARD = MEASURE_NAMES.filter(isHeardMeasure);
const heardValues = (spans: readonly StoredSpan[]): Partial<Record<MeasureName, number[] | string>> => {
  const measures = measured(spans);
  return Object.fromEntries(HEARD.map((name) => [name, valuesOf(measures[name])]));
};

const cardOf = (spans: readonly StoredSpan[]) =>
  qualityOf(conversationOf(spans), { rootEnded: true, endedNs: null, lastReceivedMs: 0, truncated: false });

describe("the measures of a call that the service placed", () => {
  test("the measures of a call that the service placed have the values of its sound", () => {
    expect(heardValues(spansOfCall())).toEqual({
      heard_response_latency: [1_240, 2_500],
      heard_overlapped_answers: [0, 0],
      heard_first_sound: [600],
      heard_yield_latency: [350],
      heard_overlap_ratio: [0.032],
      // oxlint-disable-next-line oxc/approx-constant -- a ratio near the natural logarithm of 2 by chance
      heard_talk_ratio: [0.693],
      heard_silence: [2_500],
      heard_agent_loudness: [-24.3],
      heard_clipping: [12],
      heard_word_errors: "The agent does not report which words it heard.",
    });
    const { heard_response_latency, heard_yield_latency } = measured(spansOfCall());
    expect(heard_response_latency.samples.map(({ turnIndex, provenance }) => [turnIndex, provenance])).toEqual([
      [2, "heard"],
      [4, "heard"],
    ]);
    expect(heard_yield_latency.samples.map(({ turnIndex }) => turnIndex)).toEqual([2]);
  });

  test("the measures of a call that the service placed count an answer that overlaps the caller, and give it no time", () => {
    const heard = heardCall({
      answers: [{ callerEndMs: 5_000, agentStartMs: 4_800, responseMs: -200 }],
      interruptions: [],
      deadAir: [],
    });
    const measures = measured(spansOfCall(callTranscript(callSummary({ heard }))));
    expect(valuesOf(measures.heard_response_latency)).toBe(
      "The agent started each of its answers before the caller had ended.",
    );
    expect(valuesOf(measures.heard_overlapped_answers)).toEqual([1]);
    expect(valuesOf(measures.heard_yield_latency)).toBe("The caller did not interrupt the agent.");
    expect(measures.heard_silence).toMatchObject({ provenance: "heard", samples: [] });
  });

  test("the measures of a call that the service placed have no yield latency for an interruption that the end of the call cuts short", () => {
    const cutOff = (keptSpeakingMs: number) => {
      const interruptions = [{ atMs: 20_000 - keptSpeakingMs, yieldMs: null, keptSpeakingMs }];
      const spans = spansOfCall(callTranscript(callSummary({ heard: heardCall({ interruptions }) })));
      return valuesOf(measured(spans).heard_yield_latency);
    };
    expect(cutOff(1_200)).toBe("The caller did not interrupt the agent.");
    expect(cutOff(1_700)).toEqual([1_700]);
  });

  test("the measures of a call that the service placed are unavailable with the reason when a noise may hide speech, and no silence is counted", () => {
    const { agent } = heardCall();
    const heard = heardCall({
      agent: { ...agent, segments: [], isUnclear: true, speechDbfs: null },
      firstSoundMs: null,
      answers: [],
      interruptions: [],
      overlapMs: 0,
      deadAir: [],
    });
    const spans = spansOfCall(callTranscript(callSummary({ heard })));
    const { heard_clipping, heard_agent_loudness, heard_word_errors: _words, ...ofTimes } = heardValues(spans);
    const reason = "The call was too noisy to tell when each party spoke, so its times are not known.";
    expect([heard_clipping, heard_agent_loudness]).toEqual([[12], reason]);
    expect(new Set(Object.values(ofTimes))).toEqual(new Set([reason]));
    expect(cardOf(spans).notes).toContainEqual({
      about: "call_timing",
      sentence: `${reason} No verdict depends on them.`,
    });
  });

  test("measures of a call that the service placed are unavailable when the service itself distorted the times, and the card says so", () => {
    const spans = spansOfCall(callTranscript(callSummary({ frameGapMaxMs: 83, isTimingReliable: false })));
    const reason = "The service itself sent no sound for 83 ms, so the times of the call are not reliable.";
    const values = heardValues(spans);
    const { heard_agent_loudness, heard_clipping, heard_word_errors: _words, ...ofTimes } = values;
    expect([heard_agent_loudness, heard_clipping]).toEqual([[-24.3], [12]]);
    expect(new Set(Object.values(ofTimes))).toEqual(new Set([reason]));
    expect(cardOf(spans).notes).toContainEqual({
      about: "call_timing",
      sentence: `${reason} No verdict depends on them.`,
    });
    expect(cardOf(spansOfCall()).notes.map(({ about }) => about)).not.toContain("call_timing");
  });

  test("the measures of a call that the service placed are unavailable when the sound was not analysed, and in conversations that are no such call", () => {
    const unheard = heardValues(spansOfCall(callTranscript(callSummary({ heard: null }))));
    expect(unheard["heard_first_sound"]).toBe("The sound of the call could not be analysed.");
    const typed = heardValues(spansOfCall(callTranscript(null)));
    expect(new Set(Object.values(typed))).toEqual(new Set(["The service hears only the calls that it places."]));
  });

  test("a call that the service placed has its own measures beside those from the agent's spans, and the words that the agent misheard", () => {
    const agentsOwn = [
      storedSpan({ id: "session", name: "agent_session", endMs: 20_000 }),
      storedSpan({
        id: "u1",
        name: "user_turn",
        parent: "session",
        startMs: 3_100,
        endMs: 5_600,
        attributes: { "lk.pii.user_transcript": "I would like a cable for you please" },
      }),
      storedSpan({
        id: "u2",
        name: "user_turn",
        parent: "session",
        startMs: 8_000,
        endMs: 9_900,
        attributes: { "lk.pii.user_transcript": "Friday at eight" },
      }),
    ];
    const conversation = conversationOf([...agentsOwn, ...spansOfCall(callTranscript(), [])]);
    expect(conversation).toMatchObject({ vocabulary: "platform_b", modality: "voice" });
    expect(conversation.turns).toHaveLength(2);
    const values = heardValues([...agentsOwn, ...spansOfCall(callTranscript(), [])]);
    expect(values["heard_response_latency"]).toEqual([1_240, 2_500]);
    // 3 of 12 words are wrong: "table" was heard as "cable", "two" as "you", and "for" is missing.
    expect(values["heard_word_errors"]).toEqual([0.25]);
  });

  test("the measures of a call that the service placed never have impossible values, whatever a sender writes into such spans", () => {
    const hostile = spansOfCall().map((span) => ({
      ...span,
      attributes: Object.fromEntries(
        Object.entries(span.attributes).map(([key, value]) => [key, typeof value === "number" ? 1e300 : value]),
      ),
    }));
    const { measures, impossibleValues } = readMeasures(conversationOf(hostile));
    expect(impossibleValues).toBeGreaterThan(3);
    for (const { name, summary } of measures) expect(summary.max ?? 0, name).toBeLessThan(1e9);
  });
});

describe("the trace of a call that the service placed", () => {
  test("the trace of a call that the service placed is spoken, has no text response time, and has the heard speech by turn", () => {
    const spans = spansOfCall();
    const conversation = conversationOf(spans);
    expect(conversation.modality).toBe("voice");
    expect(valuesOf(measured(spans).text_response_time)).toBe("The conversation was spoken, not typed.");
    const { speech, turns } = presentTrace(summaryRow(), spans, conversation, false, 0);
    expect(turns.map(({ text }) => text)).toEqual([
      null,
      "I would like a table for two, please.",
      "For which day?",
      "For Friday at eight.",
      "It is booked.",
    ]);
    expect(
      speech.map(({ role, turnIndex, durationMs, provenance }) => [role, turnIndex, durationMs, provenance]),
    ).toEqual([
      ["agent", 0, 1_800, "heard"],
      ["user", 1, 2_000, "heard"],
      ["agent", 2, 2_110, "heard"],
      ["user", 3, 1_500, "heard"],
      ["agent", 4, 4_000, "heard"],
    ]);
  });
});
