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
