import { describe, expect, test } from "vitest";
import { conversationOf } from "../../packages/server/src/traces/conversation/conversation.ts";
import type { StoredSpan } from "../../packages/server/src/traces/stored-span.ts";
import { agentTurn, child, measured, session, valuesOf } from "../support/measured.ts";
import { spansOfCapture } from "../support/spans-of-capture.ts";
import { storedSpan } from "../support/stored-span.ts";

describe.each(["py-1.3.12-troubles", "py-1.8.9-troubles"])("the recorded call %s with fallback adapters", (set) => {
  const spans = spansOfCapture(set);
  const { turns, modelCalls, speechCalls } = conversationOf(spans);
  const ofGreeting = modelCalls.filter(({ turnIndex }) => turnIndex === 0);

  test("the recorded call with fallback adapters counts the requests of the greeting once, without the recovery probes", () => {
    const requests = ofGreeting.map(({ model, isError }) => [model, isError]);
    expect(requests).toEqual([
      ["fake-llm-backup", false],
      ["fake-llm-primary", true],
      ["fake-llm-backup", true],
      ["fake-llm-primary", true],
    ]);
    expect(speechCalls.filter(({ kind, turnIndex }) => kind === "tts" && turnIndex === 0)).toHaveLength(2);
  });

  test("the recorded call with fallback adapters gives the adapter's retry, and the time from its start to the first token, to the request that answers", () => {
    const [answered] = ofGreeting.filter(({ isError }) => isError === false);
    expect(answered!.retries).toBe(1);
    expect(answered!.timeToFirstTokenMs).toBeGreaterThan(970);
    expect(answered!.timeToFirstTokenMs).toBeLessThan(990);
    expect(valuesOf(measured(spans).llm_retries)).toContain(1);
    expect(ofGreeting.filter(({ isError }) => isError === true).map(({ retries }) => retries)).toEqual([0, 0, 0]);
  });

  test("the recorded call with fallback adapters has the greeting's latency with all failures", () => {
    expect(measured(spans).greeting_latency.samples[0]!.value).toBeCloseTo(1_315, -2);
  });

  test("the recorded call with fallback adapters has model and first byte of synthesis from the provider that spoke, not from the adapter", () => {
    const spoken = speechCalls.filter(({ kind, timeToFirstByteMs }) => kind === "tts" && timeToFirstByteMs !== null);
    expect(spoken[0]).toMatchObject({ model: "fake-tts", isError: false, turnIndex: 0 });
    expect(spoken[0]!.timeToFirstByteMs).toBeLessThan(40); // the adapter's first byte came after 316 ms
  });

  test("the recorded call with fallback adapters has the type and message of each error", () => {
    const error = ofGreeting.find(({ isError }) => isError === true)!.error;
    expect(error).toEqual({
      type: "APIConnectionError",
      message: expect.stringMatching(/^The model cannot be reached/),
    });
    expect(ofGreeting.find(({ isError }) => isError === false)!.error).toBeNull();
    const voice = speechCalls.find(({ isError }) => isError === true)!.error;
    expect(voice).toEqual({
      type: "APIConnectionError",
      message: expect.stringMatching(/^The voice cannot be reached/),
    });
  });

  test("the recorded call with fallback adapters names the agent of each turn", () => {
    const agents = turns.map(({ role, agentName }) => (role === "agent" ? agentName : role));
    expect(agents.slice(0, 4)).toEqual(["front_desk", "user", "front_desk", "billing"]);
    expect(turns.filter(({ role }) => role === "user").every(({ agentName }) => agentName === null)).toBe(true);
  });
});

test("an answer for which every model fails is no turn, and is shown as failed with its error", () => {
  const { turns, unspokenTurns } = conversationOf(spansOfCapture("py-1.8.9-troubles"));
  expect(turns).toHaveLength(7);
  expect(unspokenTurns).toMatchObject([
    {
      outcome: "failed",
      text: null,
      agentName: "billing",
      error: { type: "APIStatusError", message: expect.stringContaining("The model is overloaded") },
    },
  ]);
});

test("an answer that the agent discards before its audio is shown with its text, and is no turn", () => {
  const { turns, unspokenTurns } = conversationOf(spansOfCapture("py-1.7.1-voice-ahead"));
  expect(turns.map(({ role }) => role)).toEqual(["agent", "user", "agent"]);
  expect(unspokenTurns).toMatchObject([{ outcome: "discarded", text: "For which day?", error: null }]);
});

test("a failed request without a turn is shown as a failed answer in every vocabulary, except inside a tool", () => {
  const failed = { status: "error" as const, statusMessage: "overloaded", startMs: 10, endMs: 20 };
  const chat = { "gen_ai.operation.name": "chat", "error.type": "RateLimitError" };
  const llm = { "openinference.span.kind": "LLM" };
  const exception = {
    name: "exception",
    timeNs: 0n,
    attributes: { "exception.type": "Boom", "exception.message": "down" },
  };
  const cases: [Partial<Omit<StoredSpan, "spanId" | "parentSpanId" | "startNs" | "endNs">>, object][] = [
    [
      { ...failed, scopeName: "app", attributes: chat },
      { type: "RateLimitError", message: "overloaded" },
    ],
    [
      { ...failed, scopeName: "app", attributes: llm, events: [exception] },
      { type: "Boom", message: "down" },
    ],
    [
      { ...failed, scopeName: "pipecat", name: "llm" },
      { type: null, message: "overloaded" },
    ],
    [
      { ...failed, name: "llm_request" },
      { type: null, message: "overloaded" },
    ],
  ];
  for (const [span, error] of cases) {
    const { turns, unspokenTurns } = conversationOf([storedSpan({ id: "a", ...span })]);
    expect([turns, unspokenTurns]).toMatchObject([[], [{ outcome: "failed", error, spanIds: ["a"] }]]);
  }
  const tool = storedSpan({ id: "t", scopeName: "app", attributes: { "gen_ai.operation.name": "execute_tool" } });
  const inside = storedSpan({ id: "a", parent: "t", ...failed, scopeName: "app", attributes: chat });
  expect(conversationOf([tool, inside]).unspokenTurns).toEqual([]);
});

test("the agents of one conversation are named by the closest span above the request", () => {
  const agent = (id: string, name: string, startMs: number, parent?: string) =>
    storedSpan({
      id,
      ...(parent !== undefined && { parent }),
      scopeName: "app",
      startMs,
      endMs: startMs + 900,
      attributes: { "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": name },
    });
  const said = (role: string, content: string) => ({ role, parts: [{ type: "text", content }] });
  const chat = (id: string, parent: string, startMs: number, ...words: string[]) =>
    storedSpan({
      id,
      parent,
      scopeName: "app",
      startMs,
      endMs: startMs + 100,
      attributes: {
        "gen_ai.operation.name": "chat",
        "gen_ai.input.messages": JSON.stringify(
          words.map((text, at) => said(at % 2 === 0 ? "user" : "assistant", text)),
        ),
        "gen_ai.output.messages": JSON.stringify([said("assistant", `Answer ${id}`)]),
      },
    });
  const { turns } = conversationOf([
    agent("1", "desk", 0),
    chat("a", "1", 10, "Hello"),
    agent("2", "billing", 1_000, "1"),
    chat("b", "2", 1_010, "Hello", "Answer a", "My bill"),
  ]);
  expect(turns.map(({ agentName }) => agentName)).toEqual([null, "desk", null, "billing"]);
});

// Up to version 1.7, livekit-agents does not mark probes, so a request to a second provider with the same model name looks like a probe.
test("a request that answers is never taken for a probe, even when all providers share one model's name", () => {
  const request = (id: string, startMs: number, endMs: number, status: "unset" | "error") => [
    storedSpan({
      id,
      name: "llm_request",
      parent: "attempt",
      startMs,
      endMs,
      status,
      attributes: { "gen_ai.request.model": "same" },
    }),
    storedSpan({ id: `${id} run`, name: "llm_request_run", parent: id, startMs, endMs, status }),
  ];
  const { modelCalls } = conversationOf([
    session(),
    agentTurn("a", 0, 2_000),
    child("llm_node", "a", 0, 1_000),
    storedSpan({ id: "adapter", name: "llm_fallback_adapter", parent: "llm_node a 0", startMs: 0, endMs: 900 }),
    storedSpan({ id: "attempt", name: "llm_request_run", parent: "adapter", startMs: 0, endMs: 900 }),
    ...request("first", 0, 300, "error"),
    ...request("second", 300, 900, "unset"),
  ]);
  expect(modelCalls.map(({ isError }) => isError)).toEqual(expect.arrayContaining([false, true]));
  expect(modelCalls).toHaveLength(2);
});
