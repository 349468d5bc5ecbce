import { MEASURES, type MeasureName } from "@svc/contract";
import { describe, expect, test } from "vitest";
import { conversationOf } from "../../packages/server/src/traces/conversation/conversation.ts";
import { measured, valuesOf } from "../support/measured.ts";
import { captureSets, spansOfCapture } from "../support/spans-of-capture.ts";

/*
 * The times of the recorded spans in milliseconds from the start of each session, written down by hand:
 *
 *                    js-1.9.0-voice      js-1.6.4-voice      js-1.9.0-voice-json
 *   user_speaking    1167 –  2229        1162 –  2225        1197 –  2261
 *                    5167 –  6021        5163 –  6015        5198 –  6051
 *                    8166 –  9222        8163 –  9221        8198 –  9256
 *   agent_speaking     54 –  1095          51 –  1092          89 –  1130
 *                    2973 –  4594        2970 –  4591        3012 –  4634
 *                    6457 –  8419        6451 –  8418        6488 –  8452
 *                    9607 – 10508        9605 – 10506        9642 – 10543
 *   user in total    2972                2973                2975
 *   agent in total   5525                5530                5528
 *   both speak       8166 –  8419        8163 –  8418        8198 –  8452
 *
 * The agent's complete turns have 3, 8 and 4 words. The user interrupts the agent's third turn, a story.
 */
const words = (...spoken: [words: number, ms: number][]) =>
  spoken.map(([count, ms]) => Math.round((count / ms) * 60_000 * 1000) / 1000);
const ratio = (part: number, whole: number) => [Math.round((part / whole) * 1000) / 1000];

const BY_HAND: Record<string, Partial<Record<MeasureName, number[] | string>>> = {
  "js-1.9.0-voice": {
    response_latency: [744, 436, 385],
    end_of_utterance_delay: [200, 200, 200],
    transcription_delay: [144, 152, 151],
    llm_time_to_first_token: [123.947, 122.76, 102.855, 102.773],
    tts_time_to_first_byte: [30.953, 205.767, 129.644, 77.767],
    unexplained_latency: [215.473, 3.501, 4.46],
    greeting_latency: [54],
    user_interruptions: [0, 0, 1, 0],
    yield_latency: [8419 - 8166],
    agent_interruptions: [0, 0, 0],
    overlap_ratio: ratio(253, 2972 + 5525 - 253),
    talk_ratio: ratio(5525, 2972 + 5525),
    silence: [],
    unanswered_turns: [0, 0, 0],
    words_per_minute: words([3, 1041], [8, 1621], [4, 901]),
    tool_latency: [0.881],
    tool_errors: [0],
    llm_errors: [0, 0, 0, 0],
    llm_retries: [0, 0, 0, 0],
    input_tokens: "The platform did not report it.",
    cached_input_tokens: "The platform did not report it.",
    output_tokens: "The platform did not report it.",
  },
  "js-1.6.4-voice": {
    response_latency: [745, 436, 383],
    end_of_utterance_delay: [201, 201, 200],
    transcription_delay: [144, 154, 146],
    greeting_latency: [51],
    yield_latency: [8418 - 8163],
    overlap_ratio: ratio(255, 2973 + 5530 - 255),
    talk_ratio: ratio(5530, 2973 + 5530),
    words_per_minute: words([3, 1041], [8, 1621], [4, 901]),
    tool_latency: [1.169],
  },
  "js-1.9.0-voice-json": {
    response_latency: [751, 437, 386],
    end_of_utterance_delay: [200, 201, 201],
    transcription_delay: [147, 156, 151],
    greeting_latency: [89],
    yield_latency: [8452 - 8198],
    overlap_ratio: ratio(254, 2975 + 5528 - 254),
    talk_ratio: ratio(5528, 2975 + 5528),
    words_per_minute: words([3, 1041], [8, 1622], [4, 901]),
  },
  // The user speaks at 859–1614, 4656–5320 and 6654–7422 ms, and the agent at 142–1183, 2071–3692, 5642–6908 and 7740–8641 ms.
  "js-1.7.1-voice": {
    response_latency: [456, 321, 318],
    end_of_utterance_delay: [201, 204, 200],
    transcription_delay: [92, 84, 84],
    llm_time_to_first_token: [64.697, 63.088, 55.574, 55.367],
    tts_time_to_first_byte: [35.115, 58.797, 55.929, 59.419],
    greeting_latency: [142],
    yield_latency: [6908 - 6654],
    agent_interruptions: [0, 0, 0],
    tool_latency: [1.317],
  },
  "js-1.9.0-text": {
    response_latency: "The conversation was typed, not spoken.",
    text_response_time: [109.641, 7.023, 4.482],
    talk_ratio: "The conversation was typed, not spoken.",
    words_per_minute: "The conversation was typed, not spoken.",
    unanswered_turns: [0, 0, 0],
    tool_latency: [1.072, 1.461],
    tool_errors: [0, 1],
  },
};

describe.each(Object.entries(BY_HAND))("the recorded call %s", (set, expected) => {
  test("the recorded call has the values computed by hand from its spans", () => {
    const measures = measured(spansOfCapture(set));
    for (const [name, values] of Object.entries(expected)) {
      expect({ [name]: valuesOf(measures[name as MeasureName]) }).toEqual({ [name]: values });
    }
  });
});

test("each sample has the index of its turn", () => {
  const measures = measured(spansOfCapture("js-1.9.0-voice"));
  const turns = (name: MeasureName) => measures[name].samples.map(({ turnIndex }) => turnIndex);
  expect(turns("response_latency")).toEqual([2, 4, 6]);
  expect(turns("end_of_utterance_delay")).toEqual([1, 3, 5]);
  expect(turns("yield_latency")).toEqual([4]);
  expect(turns("tool_latency")).toEqual([2]);
});

describe.each(captureSets())("the recorded call %s", (set) => {
  const measures = measured(spansOfCapture(set));

  test("the recorded call has every measure of the registry, in its order and unit", () => {
    const listed = Object.entries(MEASURES).map(([name, { unit }]) => [name, unit]);
    expect(Object.values(measures).map(({ name, unit }) => [name, unit])).toEqual(listed);
  });

  test("each unavailable measure of the recorded call has a reason and no value", () => {
    for (const { provenance, reason, samples, missing, summary } of Object.values(measures)) {
      expect(summary.n).toBe(samples.length);
      if (provenance !== "unavailable") expect([reason, summary.sum === null]).toEqual([null, false]);
      else expect([samples, missing >= 0, summary.sum, reason!.endsWith(".")]).toEqual([[], true, null, true]);
    }
  });

  test("the recorded call has little unexplained latency in turns without a tool call, so the parts and their units agree", () => {
    const withTool = new Set(conversationOf(spansOfCapture(set)).toolCalls.map(({ turnIndex }) => turnIndex));
    const plain = measures.unexplained_latency.samples.filter(({ turnIndex }) => !withTool.has(turnIndex));
    const most = Math.max(0, ...plain.map(({ value }) => Math.abs(value)));
    expect(most).toBeLessThan(set.endsWith("ahead") ? 150 : 25);
  });
});

test("latencies that the platform does not report are measured from the times of the spans", () => {
  const left = new Set(["lk.e2e_latency", "lk.end_of_turn_delay"]);
  const spans = spansOfCapture("js-1.9.0-voice").map((span) => ({
    ...span,
    attributes: Object.fromEntries(Object.entries(span.attributes).filter(([key]) => !left.has(key))),
  }));
  const { response_latency, end_of_utterance_delay } = measured(spans);
  expect(valuesOf(response_latency)).toEqual([2973 - 2229, 6457 - 6021, 9607 - 9222]);
  expect(valuesOf(end_of_utterance_delay)).toEqual([2433 - 2229, 6221 - 6021, 9422 - 9222]);
  expect([response_latency.provenance, end_of_utterance_delay.provenance]).toEqual(["measured", "measured"]);
});
