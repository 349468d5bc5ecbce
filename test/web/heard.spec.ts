import type { Measure, Trace } from "@svc/contract";
import { expect, test } from "vitest";
import { differenceText, heardPairs, withoutPairs } from "../../packages/web/src/conversations/timeline/measures.ts";
import { timelineOf } from "../../packages/web/src/conversations/timeline/model.ts";
import { recordedConversation } from "./support/recorded-conversation.ts";

const voice = recordedConversation("py-1.8.9-voice");

/** Returns the conversation as if its answers had also been heard, each this much later. */
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

test("a heard measure without a reported one has no difference", () => {
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

test("differences have a sign and a unit, and none of the size of nothing", () => {
  expect([433.4, -1_250, 0.2].map((ms) => differenceText(ms, "ms"))).toEqual(["+433 ms", "−1.25 s", "±0"]);
  expect([0.123, -0.05, 0.006, 0.0004].map((share) => differenceText(share, "ratio"))).toEqual([
    "+12.3 pp",
    "−5 pp",
    "+0.6 pp",
    "±0",
  ]);
});
