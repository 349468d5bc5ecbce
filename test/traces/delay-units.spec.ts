import { describe, expect, test } from "vitest";
import { agentTurn, answered, asked, child, measured, session, userTurn, valuesOf } from "../support/measured.ts";

describe("the unit of a delay", () => {
  const delays = (stated: unknown, rest: Record<string, unknown> = {}, resource = {}) =>
    valuesOf(
      measured(
        [
          session(),
          userTurn("u", 1000, 2200, { "lk.end_of_turn_delay": stated, "lk.transcription_delay": 0.15, ...rest }),
          asked[1]!,
          ...answered,
        ].map((span) => ({ ...span, resource })),
      ).end_of_utterance_delay,
    );

  test("the unit of a delay agrees with the times of the spans, in any language", () => {
    for (const language of ["python", "nodejs", undefined]) {
      const resource = language === undefined ? {} : { "telemetry.sdk.language": language };
      expect(delays(0.19, {}, resource)).toEqual([190]);
      expect(delays(190, {}, resource)).toEqual([190]);
      expect(delays("190", {}, resource)).toEqual([190]);
    }
  });

  test("the unit of a delay follows the sender's language if no span times decide, and the size of the value if the language is unknown", () => {
    const alone = (stated: number, resource = {}) =>
      valuesOf(
        measured(
          [session(), userTurn("u", 1000, 2200, { "lk.end_of_turn_delay": stated }), ...answered].map((span) => ({
            ...span,
            resource,
          })),
        ).end_of_utterance_delay,
      );
    expect(alone(40, { "telemetry.sdk.language": "python" })).toEqual([40_000]);
    expect(alone(200)).toEqual([200]);
    expect(alone(0.2)).toEqual([200]);
  });

  test("the unit of a delay is seconds for latencies, unless the times of the spans show milliseconds", () => {
    const latency = (stated: number) => {
      const reported = agentTurn("a", 2200, 5700, { "lk.e2e_latency": stated });
      const node = child("llm_node", "a", 2200, 2600, { "lk.response.ttft": stated / 10 });
      const measures = measured([session(), ...asked, reported, answered[1]!, node]);
      return [measures.response_latency, measures.llm_time_to_first_token].map(valuesOf);
    };
    expect(latency(0.69)).toEqual([[690], [69]]);
    expect(latency(690)).toEqual([[690], [69]]);
  });

  test("the unit of a delay does not matter for 0, which always means unknown", () => {
    expect(delays(0)).toEqual([200]);
    expect(
      valuesOf(measured([session(), userTurn("u", 1, 9, { "lk.transcription_delay": 0 })]).transcription_delay),
    ).not.toEqual([0]);
  });
});
