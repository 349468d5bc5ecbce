import { describe, expect, test } from "vitest";
import { agentTurn, answered, asked, child, measured, session, valuesOf } from "../support/measured.ts";
import { storedSpan } from "../support/stored-span.ts";

describe("model calls", () => {
  test("model calls belong to no turn when the speech that made them was discarded, even if its span is inside another turn", () => {
    const discarded = { ...agentTurn("b", 2300, 2400, { "lk.pii.response.text": "" }), parentSpanId: "a" };
    const calls = [child("llm_node", "a", 2200, 2300), child("llm_node", "b", 2300, 2400)].map((span) => ({
      ...span,
      attributes: { "lk.response.ttft": 0.05 },
    }));
    const { llm_time_to_first_token } = measured([session(), ...asked, ...answered, discarded, ...calls]);
    expect(llm_time_to_first_token.samples.map(({ turnIndex }) => turnIndex)).toEqual([1, null]);
  });

  test("model calls have their own times when one answer needed several", () => {
    const node = child("llm_node", "a", 2200, 2600, { "lk.response.ttft": 0.3 });
    const requests = [0.2, 0.1].map((ttft, at) =>
      child("llm_request", node.spanId, 2200 + at * 200, 2600, { "gen_ai.response.time_to_first_chunk": ttft }),
    );
    const firstTokens = (...made: typeof requests) =>
      valuesOf(measured([session(), ...answered, node, ...made]).llm_time_to_first_token);
    expect(firstTokens(...requests)).toEqual([200, 100]);
    expect(firstTokens(requests[0]!)).toEqual([300]);
  });

  const request = (attributes: Record<string, unknown>, ...attempts: ("unset" | "error")[]) => [
    session(),
    ...answered,
    storedSpan({ id: "node", name: "llm_node", parent: "a", attributes: {} }),
    storedSpan({ id: "request", name: "llm_request", parent: "node", attributes }),
    ...attempts.map((status, at) =>
      storedSpan({ id: `run${at}`, name: "llm_request_run", parent: "request", startMs: at, status }),
    ),
  ];

  test("model calls fail when their last attempt fails", () => {
    const failures = (...attempts: ("unset" | "error")[]) => {
      const { llm_errors, llm_retries } = measured(request({}, ...attempts));
      return [valuesOf(llm_errors), valuesOf(llm_retries)];
    };
    expect(failures("error", "unset")).toEqual([[0], [1]]);
    expect(failures("error", "error", "error")).toEqual([[1], [2]]);
    expect(failures()).toEqual(["The platform did not report it.", "The platform did not report it."]);
  });

  test("model calls have token counts from attributes or from metrics in either spelling, and unknown counts when all are 0", () => {
    const tokens = (attributes: Record<string, unknown>) => {
      const { input_tokens, cached_input_tokens, output_tokens } = measured(request(attributes));
      return [input_tokens, cached_input_tokens, output_tokens].map(({ samples }) => samples[0]?.value ?? null);
    };
    const python = { prompt_tokens: 80, prompt_cached_tokens: 64, completion_tokens: 20 };
    const javascript = { promptTokens: 80, promptCachedTokens: 64, completionTokens: 20 };
    expect(tokens({ "lk.llm_metrics": JSON.stringify(python) })).toEqual([80, 64, 20]);
    expect(tokens({ "lk.llm_metrics": JSON.stringify(javascript) })).toEqual([80, 64, 20]);
    expect(tokens({ "gen_ai.usage.input_tokens": 80, "gen_ai.usage.output_tokens": 0 })).toEqual([80, null, 0]);
    expect(tokens({ "gen_ai.usage.input_tokens": 0, "gen_ai.usage.output_tokens": 0 })).toEqual([null, null, null]);
    expect(tokens({ "gen_ai.usage.input_tokens": 1.5, "gen_ai.usage.output_tokens": -3 })).toEqual([null, null, null]);
  });

  test("model calls have the time to the first token from the node, an attribute or the metrics, and -1 means unknown", () => {
    const first = (attributes: Record<string, unknown>) =>
      valuesOf(measured(request(attributes)).llm_time_to_first_token);
    expect(first({ "gen_ai.response.time_to_first_chunk": 0.2 })).toEqual([200]);
    expect(first({ "lk.llm_metrics": '{"ttft":0.25}' })).toEqual([250]);
    expect(first({ "lk.llm_metrics": '{"ttftMs":250}' })).toEqual([250]);
    expect(first({ "lk.llm_metrics": '{"ttft":-1}' })).toBe("The platform did not report it.");
    expect(first({ "lk.response.ttft": 1e300 })).toBe("The platform did not report it.");
  });
});
