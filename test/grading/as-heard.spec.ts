import { describe, expect, test } from "vitest";
import { responseLatency } from "../../packages/server/src/grading/built-in/response-latency.ts";
import { turnTaking } from "../../packages/server/src/grading/built-in/turn-taking.ts";
import type { CallSummary } from "../../packages/server/src/voice/calls/call.ts";
import { decide, parseCheck } from "../../packages/server/src/grading/checks/table.ts";
import { type Evidence, evidenceOf } from "../../packages/server/src/grading/evidence.ts";
import { readBehavior } from "../../packages/server/src/grading/read-behavior.ts";
import { spansOf } from "../../packages/server/src/runs/after/spans.ts";
import type { SimulationRow } from "../../packages/server/src/runs/rules.ts";
import { conversationOf } from "../../packages/server/src/traces/conversation/conversation.ts";
import { measuresOf } from "../../packages/server/src/traces/measures/measures-of.ts";
import { callSummary, callTranscript, heardCall } from "../support/calls/call-summary.ts";
import { evidenceFrom, labelledBehaviors } from "../support/labelled-behaviors.ts";

const simulation = { id: "sim_1", attempt: 1, ending_reason: "persona_concluded" } as SimulationRow;

/**
 * Returns the evidence of a simulated call with answers after 1240 and 2500 ms, and one interruption after which the agent stops in
 * 350 ms.
 */
function evidenceOfCall(changes: Partial<CallSummary> = {}): Evidence {
  const spans = Object.values(spansOf(simulation, "agent", callTranscript(callSummary(changes)))).flat();
  const conversation = conversationOf(spans);
  return evidenceOf(conversation, measuresOf(conversation), {
    ending: { reason: "persona_concluded", by: "caller" },
    complete: true,
    toolsVisible: true,
    mockedTools: new Set(),
    modality: null,
    scenario: null,
    persona: null,
    date: "2026-11-22",
  });
}

const decided = (behavior: string, evidence = evidenceOfCall()) => decide(parseCheck(behavior)!, evidence);

describe("a behavior about times", () => {
  test.each([
    [
      "responds within 1500 ms p95 as heard",
      "The agent answers 95 % of the caller's turns within 1500 ms, as heard in the call.",
    ],
    [
      "p95 latency is under 2 s, as heard by the caller",
      "The agent answers 95 % of the caller's turns in less than 2000 ms, as heard in the call.",
    ],
    [
      "never takes longer than 4 s to answer, as heard",
      "The agent answers every turn of the caller within 4000 ms, as heard in the call.",
    ],
    [
      "stops within 500 ms when interrupted as heard",
      "When the caller interrupts, the agent stops within 500 ms, as heard in the call.",
    ],
    ["no silence over 5 s as heard in the call", "No silence lasts longer than 5000 ms, as heard in the call."],
    ["The agent leaves no dead air over 5 s as heard.", "No silence lasts longer than 5000 ms, as heard in the call."],
  ])('the sentence "%s" is understood as one about the sound of a call', (behavior, reading) => {
    expect(readBehavior(behavior, false)).toMatchObject({ decidedBy: "check", reading, problem: null });
  });

  test.each([
    "responds as heard",
    "as heard",
    "says hello as heard",
    "no silence as heard",
    "responds within 2 s as it is heard",
  ])('the sentence "%s" has no such form', (behavior) =>
    expect(readBehavior(behavior, false)).toMatchObject({ decidedBy: "nobody", form: null }),
  );

  test.each([
    ["responds within 2500 ms", "passed"],
    ["responds within 2 s", "failed"],
    ["responds within 2 s as heard", "failed"],
    ["stops within 500 ms when interrupted", "passed"],
    ["stops within 300 ms when interrupted, as heard", "failed"],
    ["no silence over 3 s", "passed"],
    ["no silence over 2 s as heard", "failed"],
    ["no silence over 1 s", "failed"],
  ])("%s: the sound of the call decides, and the reason says so", (behavior, verdict) => {
    const decision = decided(behavior);
    expect(decision).toMatchObject({ verdict, reason: expect.stringContaining("as heard in the call") });
  });

  test("a limit below the shortest silence that is heard is not decided by a call without silences", () => {
    const evidence = evidenceOfCall({ heard: heardCall({ deadAir: [] }) });
    expect(decided("no silence over 1500 ms", evidence)).toMatchObject({
      verdict: "inconclusive",
      reason: expect.stringContaining("Silences shorter than 2000 ms are not measured."),
    });
    expect(decided("no silence over 2 s", evidence).verdict).toBe("passed");
  });

  test("an agent that never stops when it is interrupted fails by the time for which it went on", () => {
    const interruptions = [{ atMs: 8_000, yieldMs: null, keptSpeakingMs: 4_200 }];
    const evidence = evidenceOfCall({ heard: heardCall({ interruptions }) });
    const stops = decided("stops within 500 ms when interrupted", evidence);
    expect(stops.verdict).toBe("failed");
    expect(stops.reason).toMatch(/; the longest went on for \d+ ms in turn \d+, as heard in the call\.$/);
    expect(stops.evidence[0]).toMatchObject({ turn: expect.any(Number), at: expect.stringMatching(/Z$/) });
    const uninterrupted = evidenceOfCall({ heard: heardCall({ interruptions: [] }) });
    expect(decided("stops within 500 ms when interrupted", uninterrupted)).toMatchObject({
      verdict: "inconclusive",
      reason: "The caller did not interrupt the agent.",
    });
  });

  test.each([
    "responds within 10 s",
    "responds within 100 ms as heard",
    "stops within 10 ms when interrupted",
    "no silence over 1 s",
  ])("%s: no verdict depends on the times of a call that the service itself spoilt", (behavior) => {
    const spoilt = { isTimingReliable: false, frameGapMaxMs: 90 };
    for (const evidence of [evidenceOfCall(spoilt), evidenceOfCall({ ...spoilt, heard: null })]) {
      expect(decided(behavior, evidence)).toMatchObject({
        verdict: "inconclusive",
        reason: expect.stringContaining("The service itself sent no sound for 90 ms"),
      });
    }
  });

  test("the reported times decide in a conversation without sound of ours, and never where only heard ones count", () => {
    const reported = labelledBehaviors().find(({ file }) => file === "barge-in.json")!.evidence;
    expect(decided("stops within 500 ms when interrupted", reported)).toMatchObject({
      verdict: "failed",
      reason: expect.stringMatching(
        /^1 of 2 interruptions went on longer than 500 ms; the longest went on for \d+ ms in turn \d+, by the times of the spans\.$/,
      ),
    });
    for (const behavior of [
      "stops within 500 ms when interrupted as heard",
      "responds within 100 ms as heard",
      "no silence over 1 s as heard",
    ]) {
      expect(decided(behavior, reported).verdict, behavior).toBe("inconclusive");
    }
    const typed = evidenceFrom({
      about: "",
      modality: "text",
      scenario: null,
      persona: null,
      ending: null,
      turns: [
        { speaker: "caller", from: 0, to: 0, text: "Hello?" },
        { speaker: "agent", from: 0, to: 900, text: "Hello." },
      ],
    });
    expect(decided("responds within 2 s", typed).verdict).toBe("passed");
    expect(decided("responds within 2 s as heard", typed).verdict).toBe("inconclusive");
  });
});

describe("a built-in grader", () => {
  test("a built-in grader decides by the sound of a call", () => {
    expect(responseLatency(evidenceOfCall())).toMatchObject({
      verdict: "passed",
      reason: expect.stringContaining("the slowest took 2500 ms, as heard in the call."),
    });
    expect(turnTaking(evidenceOfCall()).reason).toMatch(/1 of 2 answers within 2 s .*; 1 of 1 interruptions yielded/);
  });

  test("a built-in grader does not grade by times that the service itself spoilt", () => {
    const spoilt = evidenceOfCall({ isTimingReliable: false });
    expect([responseLatency(spoilt).verdict, turnTaking(spoilt).verdict]).toEqual(["not_graded", "not_graded"]);
  });
});

describe("an answer that overlaps the caller", () => {
  const answer = (agentStartMs: number, responseMs: number) => ({
    callerEndMs: agentStartMs - responseMs,
    agentStartMs,
    responseMs,
  });
  const within = (ms: number, ...answers: ReturnType<typeof answer>[]) =>
    decided(`responds within ${ms} ms as heard`, evidenceOfCall({ heard: heardCall({ answers }) }));

  test("an answer that overlaps the caller is no quick answer, and leaves the decision to the others", () => {
    expect(within(1_300, answer(6_240, 1_240), answer(12_000, -800))).toMatchObject({
      verdict: "passed",
      reason: expect.stringContaining("Answers without a time, because they overlap the caller: 1."),
    });
    expect(within(1_000, answer(6_240, 1_240), answer(12_000, -800)).verdict).toBe("failed");
  });

  test("an answer that overlaps the caller leaves nothing to decide when it is the rule", () => {
    expect(within(2_000, answer(6_240, -500), answer(12_000, -800)).verdict).toBe("inconclusive");
    const mostly = [answer(3_000, -500), answer(6_240, 1_240), answer(12_000, -800)];
    expect(within(2_000, ...mostly).verdict).toBe("inconclusive");
    expect(within(1_000, ...mostly).verdict).toBe("failed");
  });
});
