import { describe, expect, test } from "vitest";
import { conversationOf } from "../../packages/server/src/traces/conversation/conversation.ts";
import type { StoredSpan } from "../../packages/server/src/traces/stored-span.ts";
import { measured, valuesOf } from "../support/measured.ts";
import { spansOfCapture } from "../support/spans-of-capture.ts";
import { storedSpan } from "../support/stored-span.ts";

type Attributes = Record<string, unknown>;

const span = (kind: string, id: string, startMs: number, attributes: Attributes = {}, parent = "turn") =>
  storedSpan({
    id,
    parent,
    startMs,
    endMs: startMs + 100,
    scopeName: "my-app",
    attributes: { "openinference.span.kind": kind, ...attributes },
  });

const message = (of: "input" | "output", at: number, attributes: Attributes) =>
  Object.fromEntries(
    Object.entries(attributes).map(([key, value]) => [`llm.${of}_messages.${at}.message.${key}`, value]),
  );

const turnTexts = (...spans: StoredSpan[]) => conversationOf(spans).turns.map(({ role, text }) => `${role}: ${text}`);

test("the model calls of the recorded conversation have token counts, and streamed ones the time to the first token", () => {
  const { vocabulary, session, modelCalls } = conversationOf(spansOfCapture("openinference-openai-0.1.66-text"));
  expect(vocabulary).toBe("openinference");
  expect(session?.endNs).not.toBeNull();
  expect(modelCalls[0]).toMatchObject({
    model: "fake-llm",
    provider: "openai",
    inputTokens: 42,
    cachedInputTokens: 8,
    outputTokens: 9,
  });
  expect(modelCalls.map(({ timeToFirstTokenMs }) => timeToFirstTokenMs !== null)).toEqual([
    false,
    false,
    false,
    false,
    true,
  ]);
});

test("the tool calls of LangChain have the arguments that the model sent, and the tool's own results", () => {
  const { toolCalls } = conversationOf(spansOfCapture("openinference-langchain-0.1.80-text"));
  expect(
    toolCalls.map(({ id, name, arguments: input, result, isError }) => [id, name, input, result, isError]),
  ).toEqual([
    ["call_get_weather", "get_weather", { city: "Paris" }, "Paris: sunny, 21C", false],
    ["call_book", "book", { day: "Tuesday" }, "slot is taken", true],
  ]);
});

test("a call with one trace for each turn is one conversation, and each trace alone gives its own turns", () => {
  const spans = spansOfCapture("openinference-pipecat-2.0.9-call");
  const whole = conversationOf(spans);
  expect(whole.turns.map(({ role }) => role).join(" ")).toBe("agent user agent user agent user agent");
  expect(whole.speechCalls.map(({ kind }) => kind).sort()).toEqual(["stt", "stt", "stt", "tts", "tts", "tts", "tts"]);
  expect(whole.modelCalls).toHaveLength(4);
  const traces = [...Map.groupBy(spans, ({ traceId }) => traceId).values()].map((trace) => turnTexts(...trace));
  expect(traces.flat()).toEqual(whole.turns.map(({ role, text }) => `${role}: ${text}`));
});

describe("the turn spans of Pipecat's instrumentation", () => {
  test("the turn spans of Pipecat's instrumentation give the recorded call its latencies and interruptions", () => {
    const { response_latency, user_interruptions } = measured(spansOfCapture("openinference-pipecat-2.0.9-call"));
    expect(valuesOf(response_latency)).toEqual([913.301, 650.679, 651.119]);
    expect(response_latency).toMatchObject({ missing: 0, provenance: "provider_reported" });
    expect(valuesOf(user_interruptions)).toEqual([0, 0, 1]);
    expect(user_interruptions.missing).toBe(1);
  });

  // The spans follow the source code of openinference-instrumentation-pipecat 2.0.9, which never resets the last latency.
  test("the turn spans of Pipecat's instrumentation repeat the latency of an earlier turn, which does not count again, and have the played text as output", () => {
    const round = (id: string, startMs: number, attributes: Attributes) =>
      storedSpan({
        id,
        name: "pipecat.conversation.turn",
        scopeName: "my-app",
        startMs,
        endMs: startMs + 900,
        attributes: { "openinference.span.kind": "CHAIN", "conversation.was_interrupted": false, ...attributes },
      });
    const answer = (id: string, parent: string, startMs: number, said: string) =>
      span(
        "LLM",
        id,
        startMs,
        {
          ...message("input", 0, { role: "user", content: `Question ${id}` }),
          ...message("output", 0, { role: "assistant", content: said }),
        },
        parent,
      );
    const latency = { "conversation.user_to_bot_latency": 0.7 };
    const { turns, turnReports } = conversationOf([
      round("r1", 0, { ...latency, "conversation.was_interrupted": true, "output.value": "One two" }),
      answer("a", "r1", 100, "One two three"),
      round("r2", 1_000, latency),
      answer("b", "r2", 1_100, "Four"),
    ]);
    expect(turns.map(({ interrupted, heardText }) => [interrupted, heardText])).toEqual([
      [null, null],
      [true, "One two"],
      [null, null],
      [false, null],
    ]);
    expect(turnReports).toMatchObject([{ turnIndex: 1, responseLatencyMs: 700, interruptedBy: "user" }]);
  });
});

describe("messages", () => {
  test("messages are ordered by their number, also above 10, and can have several contents", () => {
    const chat = Array.from({ length: 12 }, (_, at) =>
      message("input", at, { role: at % 2 === 0 ? "assistant" : "user", content: `${at}` }),
    );
    const contents = message("input", 12, {
      role: "user",
      "contents.0.message_content.type": "text",
      "contents.0.message_content.text": "Look",
      "contents.1.message_content.type": "image",
    });
    const first = span(
      "LLM",
      "a",
      0,
      Object.assign({}, ...chat.slice(0, 2), message("output", 0, { role: "assistant", content: "2" })),
    );
    expect(turnTexts(first, span("LLM", "b", 200, Object.assign({}, ...chat.toReversed(), contents)))).toEqual([
      ...Array.from({ length: 12 }, (_, at) => (at % 2 === 0 ? `agent: ${at}` : `user: ${at}`)),
      "user: Look",
      "agent: null",
    ]);
  });

  test("messages with hidden content give turns without text", () => {
    const hidden = (of: "input" | "output", at: number, role: string) =>
      message(of, at, { role, content: "__REDACTED__" });
    const spans = [
      span("LLM", "a", 0, { ...hidden("input", 0, "user"), ...hidden("output", 0, "assistant") }),
      span("TOOL", "t", 50, { "tool.name": "book", "input.value": "__REDACTED__", "output.value": "__REDACTED__" }),
    ];
    const { turns, toolCalls } = conversationOf(spans);
    expect(JSON.stringify([turns.map(({ text }) => text), toolCalls.map((call) => call.arguments)])).not.toContain(
      "RED",
    );
    expect(turns.at(-1)).toMatchObject({ role: "agent", text: null });
    expect(toolCalls).toMatchObject([{ name: "book", arguments: null, result: null, isError: false }]);
  });

  test("messages are the input and output of an agent span that has no request, if these are text", () => {
    const agent = { "input.value": "Hi", "input.mime_type": "text/plain", "output.value": "Hello." };
    expect(turnTexts(span("AGENT", "a", 0, agent))).toEqual(["user: Hi", "agent: Hello."]);
    expect(turnTexts(span("agent", "a", 0, { "input.value": "{}", "input.mime_type": "application/json" }))).toEqual([
      "agent: null",
    ]);
    expect(
      turnTexts(
        span("AGENT", "a", 0, agent),
        span("LLM", "b", 10, message("input", 0, { role: "user", content: "Hi" }), "a"),
      ),
    ).toEqual(["user: Hi", "agent: null"]);
  });

  test("messages with hostile keys neither cause an exception nor change a prototype", () => {
    const keys = [
      "__proto__.x",
      "constructor.prototype.y",
      "0.__proto__.message.role",
      "0.message.role.deep",
      "999999999999.message.role",
      "",
    ];
    const hostile = Object.fromEntries(keys.map((key) => [`llm.input_messages.${key}`, "user"]));
    expect(() => conversationOf([span("LLM", "a", 0, hostile)])).not.toThrow();
    expect(({} as Attributes)["x"]).toBeUndefined();
  });
});

test("unknown OpenInference keys are counted", () => {
  const { quality } = conversationOf([
    span("LLM", "a", 0, { "llm.new": 1, "llm.token_count.total": 1, "tool.new": 1, "other.new": 1 }),
  ]);
  expect(quality.unmappedKeys.map(({ key }) => key)).toEqual(["llm.new", "tool.new"]);
});
