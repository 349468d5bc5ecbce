import { describe, expect, test } from "vitest";
import { conversationOf } from "../../packages/server/src/traces/conversation/conversation.ts";
import { measuresOf } from "../../packages/server/src/traces/measures/measures-of.ts";
import { spansOfCapture } from "../support/spans-of-capture.ts";

const STORY =
  "Once upon a time there was a very long story which went on and on and never seemed to end at all, really.";

describe.each(["py-1.8.9-realtime", "js-1.9.0-realtime"])(
  "a recorded call with a speech-to-speech model, %s",
  (set) => {
    const conversation = conversationOf(spansOfCapture(set));
    const measures = Object.fromEntries(measuresOf(conversation).map((measure) => [measure.name, measure]));

    test("a recorded call with a speech-to-speech model has the words of both sides, and the answer to a tool's result is the turn that called the tool", () => {
      expect(conversation.turns.map(({ role, text }) => [role, text])).toEqual([
        ["user", "What is the weather in Paris?"],
        ["agent", "It is sunny and 21 degrees in Paris."],
        ["user", "Tell me a long story"],
        ["agent", STORY],
        ["user", "stop please I want to book Tuesday"],
        ["agent", "Sure, Tuesday it is."],
      ]);
      expect(conversation.toolCalls).toMatchObject([
        {
          name: "get_weather",
          arguments: { city: "Paris" },
          result: "Paris: sunny, 21C",
          isError: false,
          turnIndex: 1,
        },
      ]);
    });

    test("a recorded call with a speech-to-speech model has the times of the user's speech, and the turn that it interrupted", () => {
      for (const turn of conversation.turns.filter(({ role }) => role === "user")) {
        expect(Number(turn.endNs! - turn.startNs) / 1e6).toBeGreaterThan(500);
        expect(Number(turn.endNs! - turn.startNs) / 1e6).toBeLessThan(900);
      }
      expect(conversation.turns.map(({ interrupted }) => interrupted === true)).toEqual([
        false,
        false,
        false,
        true,
        false,
        false,
      ]);
      expect(measures["user_interruptions"]!.samples.map(({ value }) => value)).toEqual([0, 1, 0]);
      expect(measures["response_latency"]!.samples).toHaveLength(3);
    });

    test("a recorded call with a speech-to-speech model has the usage of every request of the session", () => {
      expect(
        conversation.modelCalls.map(({ model, inputTokens, cachedInputTokens, outputTokens }) => [
          model,
          inputTokens,
          cachedInputTokens,
          outputTokens,
        ]),
      ).toEqual(Array.from({ length: 4 }, () => ["gpt-realtime", 120, 64, 50]));
      expect(conversation.modelCalls.map(({ turnIndex }) => turnIndex)).toEqual([1, 1, 3, 5]);
    });

    test("a recorded call with a speech-to-speech model has no key that the service does not know", () => {
      expect(conversation.quality.unmappedKeys).toEqual([]);
    });
  },
);

describe.each(["py-1.8.9-gemini", "js-1.9.0-gemini"])("a recorded call with Gemini Live, %s", (set) => {
  const conversation = conversationOf(spansOfCapture(set));
  const measures = Object.fromEntries(measuresOf(conversation).map((measure) => [measure.name, measure]));

  test("a recorded call with Gemini Live has the words of both sides, the tool call, and the turn that was interrupted", () => {
    expect(conversation.turns.map(({ role, text, interrupted }) => [role, text, interrupted === true])).toEqual([
      ["user", "What is the weather in Paris?", false],
      ["agent", "It is sunny and 21 degrees in Paris.", false],
      ["user", "Tell me a long story", false],
      ["agent", STORY, true],
      ["user", "stop please I want to book Tuesday", false],
      ["agent", "Sure, Tuesday it is.", false],
    ]);
    expect(conversation.toolCalls).toMatchObject([{ name: "get_weather", result: "Paris: sunny, 21C", turnIndex: 1 }]);
  });

  test("a recorded call with Gemini Live does not take the model's generations for the user's speech, so its times are unknown", () => {
    expect(conversation.userSpeech).toEqual([]);
    expect(conversation.turns.flatMap(({ role, endNs }) => (role === "user" ? [endNs] : []))).toEqual([
      null,
      null,
      null,
    ]);
    for (const name of [
      "response_latency",
      "overlapped_answers",
      "agent_interruptions",
      "overlap_ratio",
      "talk_ratio",
      "silence",
    ])
      expect([name, measures[name]!.samples]).toEqual([name, []]);
    expect(measures["unanswered_turns"]!.samples.map(({ value }) => value)).toEqual([0, 0, 0]);
  });

  test("a recorded call with Gemini Live counts an interruption only where the framework says that it was the user's", () => {
    const interruptions = measures["user_interruptions"]!.samples;
    expect(interruptions.map(({ value, provenance }) => [value, provenance])).toEqual(
      set.startsWith("py") ? [0, 1, 0].map((value) => [value, "provider_reported"]) : [],
    );
  });

  test("a recorded call with Gemini Live has the usage of each turn of the session, and no unknown key", () => {
    expect(
      conversation.modelCalls.map(({ inputTokens, cachedInputTokens, outputTokens, turnIndex }) => [
        inputTokens,
        cachedInputTokens,
        outputTokens,
        turnIndex,
      ]),
    ).toEqual([
      [null, null, null, 1], // the request that called the tool; the message that ends the turn has its usage
      [120, 64, 50, 1],
      [120, 64, 50, 3],
      [120, 64, 50, 5],
    ]);
    expect(conversation.quality.unmappedKeys).toEqual([]);
  });
});

describe("times of the user in a speech-to-speech session", () => {
  const withSpeech = (...shiftsMs: [startMs: number, endMs: number][]) => {
    const spans = spansOfCapture("js-1.9.0-realtime");
    const generations = spans.filter(({ name }) => name === "realtime_inference");
    const others = spans.filter(({ name }) => name !== "user_speaking");
    const template = spans.find(({ name }) => name === "user_speaking")!;
    return conversationOf([
      ...others,
      ...shiftsMs.map(([startMs, endMs], at) => ({
        ...template,
        spanId: `speech${at}`,
        startNs: generations[at]!.startNs + BigInt(startMs) * 1_000_000n,
        endNs: generations[at]!.endNs! + BigInt(endMs) * 1_000_000n,
      })),
    ]);
  };

  test.each<[string, [number, number][], number]>([
    [
      "every period is a generation",
      [
        [-1, -2],
        [-2, 3],
        [0, -40],
      ],
      0,
    ],
    [
      "most periods are a generation",
      [
        [-1, -2],
        [-2, 3],
        [-900, -100],
      ],
      0,
    ],
    [
      "one period is a generation by chance",
      [
        [-1, -2],
        [-900, -400],
        [-900, -400],
      ],
      3,
    ],
    [
      "the user begins with a generation and goes on",
      [
        [-1, 600],
        [-2, 900],
        [0, 400],
      ],
      3,
    ],
    [
      "the user ends with a generation and began before",
      [
        [-700, 0],
        [-900, -2],
        [-400, 1],
      ],
      3,
    ],
  ])("%s: the periods count only where they are the user's", (_title, shifts, expected) => {
    expect(withSpeech(...shifts).userSpeech).toHaveLength(expected);
  });
});
