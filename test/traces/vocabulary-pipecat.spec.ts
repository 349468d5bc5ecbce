import { describe, expect, test } from "vitest";
import { conversationOf } from "../../packages/server/src/traces/conversation/conversation.ts";
import type { StoredSpan } from "../../packages/server/src/traces/stored-span.ts";
import { measured, valuesOf } from "../support/measured.ts";
import { spansOfCapture } from "../support/spans-of-capture.ts";
import { EPOCH_NS, storedSpan } from "../support/stored-span.ts";

type Attributes = Record<string, unknown>;

const span = (name: string, id: string, startMs: number, endMs: number, attributes: Attributes = {}, parent = "turn") =>
  storedSpan({ id, name, parent, startMs, endMs, attributes, scopeName: "pipecat" });

const turn = (id: string, startMs: number, endMs: number, attributes: Attributes = {}) =>
  span("turn", id, startMs, endMs, { "turn.was_interrupted": false, ...attributes }, "call");

/** A recognition span. The speech ends 250 ms before the span ends with the transcript. */
const stt = (id: string, startMs: number, endMs: number, transcript: string | null, parent = "turn") =>
  span("stt", id, startMs, endMs, { "metrics.ttfb": 0.25, ...(transcript !== null && { transcript }) }, parent);

const llm = (id: string, startMs: number, chat: unknown[], output?: string, parent = "turn") =>
  span("llm", id, startMs, startMs + 100, { input: JSON.stringify(chat), ...(output && { output }) }, parent);

const tts = (id: string, startMs: number, text: string, parent = "turn") =>
  span("tts", id, startMs, startMs + 50, { text }, parent);

const turnTexts = (...spans: StoredSpan[]) => conversationOf(spans).turns.map(({ role, text }) => `${role}: ${text}`);
const since = (ms: number) => EPOCH_NS + BigInt(ms * 1e6);

const user = (content: string) => ({ role: "user", content });
const asks = (id: string, name: string, input: object) => ({
  role: "assistant",
  tool_calls: [{ id, type: "function", function: { name, arguments: JSON.stringify(input) } }],
});
const answers = (id: string, content: string) => ({ role: "tool", tool_call_id: id, content });

describe("the recorded call", () => {
  test("the recorded call has the user turns and tool calls of the same call recorded with platform_b", () => {
    const [pipecat, other] = ["pipecat-1.14.0-call", "py-1.8.9-voice"].map((set) =>
      conversationOf(spansOfCapture(set)),
    );
    const asked = ({ turns, toolCalls }: typeof pipecat & object) => [
      turns.filter(({ role }) => role === "user").map(({ text }) => text),
      toolCalls.map(({ name, arguments: input, result, turnIndex }) => [name, input, result, turnIndex]),
    ];
    expect(asked(pipecat!)).toEqual(asked(other!));
    expect(pipecat!.turns.map(({ interrupted }) => interrupted)).toEqual([false, null, false, null, true, null, null]);
  });

  test("the recorded call has the latencies that Pipecat reports and those that its spans show", () => {
    const measures = measured(spansOfCapture("pipecat-1.14.0-call"));
    expect(valuesOf(measures.response_latency)).toEqual([914.45, 649.3, 643.848]);
    expect(valuesOf(measures.transcription_delay)).toEqual([253.465, 252.156, 252.453]);
    expect(measures.end_of_utterance_delay.provenance).toBe("measured");
    expect(valuesOf(measures.tts_time_to_first_byte)).toHaveLength(4);
    expect(measures.talk_ratio.reason).not.toBeNull();
  });

  test("the recorded call has the interruptions that Pipecat reports; the turn that the end of the call cuts is unknown", () => {
    const { user_interruptions, yield_latency } = measured(spansOfCapture("pipecat-1.14.0-call"));
    expect(valuesOf(user_interruptions)).toEqual([0, 0, 1]);
    expect(user_interruptions).toMatchObject({ missing: 1, provenance: "provider_reported" });
    expect(yield_latency.provenance).toBe("unavailable");
  });
});

test("the heard part of an interrupted turn is the text that the next request repeats, if that is its beginning", () => {
  const heardOf = (...repeated: object[]) =>
    conversationOf([
      turn("turn", 0, 2_000, { "turn.was_interrupted": true }),
      llm("asked", 100, [user("Go on")], "One two three four"),
      tts("said", 300, "One two three four"),
      turn("next", 2_000, 4_000),
      llm("later", 2_100, [user("Go on"), ...repeated, user("Stop")], "Yes", "next"),
    ]).turns.find(({ interrupted }) => interrupted === true);
  const said = (content: string) => ({ role: "assistant", content });
  expect(heardOf(said("One  two "))).toMatchObject({ text: "One two three four", heardText: "One  two" });
  expect(heardOf()?.heardText).toBeNull();
  expect(heardOf(said("Something else"))?.heardText).toBeNull();
});

describe("a turn", () => {
  test("a turn has the user's text from all recognition spans and the agent's text from synthesis, not from the model", () => {
    const { turns } = conversationOf([
      turn("turn", 0, 5000),
      stt("a", 100, 900, "I want"),
      llm("begun", 950, [user("I want")], "What do"),
      stt("b", 1000, 2000, "to book"),
      llm("asked", 2100, [user("I want to book")], "Sure, **Tuesday**."),
      tts("said", 2300, "Sure, Tuesday."),
    ]);
    expect(turns.map(({ text, spanIds }) => [text, spanIds])).toEqual([
      ["I want to book", ["a", "b"]],
      ["Sure, Tuesday.", ["begun", "asked", "said"]],
    ]);
    expect([turns[0]!.startNs, turns[0]!.endNs]).toEqual([since(100), since(2100)]);
  });

  test("a turn is known before the turn span has arrived: a new one begins when the user speaks after the agent", () => {
    const spans = [
      stt("a", 100, 900, "Hello"),
      tts("b", 1200, "Hi."),
      stt("c", 3000, 4000, "Bye"),
      tts("d", 4200, "Bye."),
    ];
    expect(turnTexts(...spans)).toEqual(["user: Hello", "agent: Hi.", "user: Bye", "agent: Bye."]);
    expect(conversationOf(spans).turns[1]!.interrupted).toBeNull();
  });

  test("a turn without a transcript or a text has an unknown text", () => {
    expect(turnTexts(turn("turn", 0, 5000), stt("a", 100, 900, null), span("tts", "b", 950, 990))).toEqual([
      "user: null",
      "agent: null",
    ]);
  });

  test("a turn counts as interrupted only if another turn follows, because Pipecat marks the end of a call as an interruption", () => {
    const cut = { "turn.was_interrupted": true };
    const spans = (more: StoredSpan[]) => [turn("turn", 0, 2000, cut), tts("a", 100, "Once upon"), ...more];
    const first = (more: StoredSpan[]) => conversationOf(spans(more)).turns[0]!.interrupted;
    expect(first([])).toBeNull();
    expect(first([turn("next", 2001, 3000)])).toBe(true);
    expect(first([turn("next", 2001, 3000), turn("turn", 0, 2000)])).toBe(true);
    const [report] = conversationOf(spans([turn("next", 2001, 3000)])).turnReports;
    expect(report).toMatchObject({ turnIndex: 0, interruptedBy: "user" });
  });

  test("a turn has no user speech and no delay in versions whose recognition span starts with the transcript", () => {
    const conversation = conversationOf([
      turn("turn", 0, 5000, { "turn.user_bot_latency_seconds": 0.9 }),
      stt("a", 1000, 1001, "Hello"),
      tts("b", 1500, "Hi."),
    ]);
    expect(conversation.userSpeech).toEqual([]);
    expect(conversation.turnReports).toMatchObject([{ turnIndex: 1, responseLatencyMs: 900 }]);
    expect(conversation.turns[0]!.endNs).toBe(since(1001));
  });

  test("a turn that the user typed comes from the chats of the model requests, once", () => {
    const chat = [user("Hello"), { role: "assistant", content: "Hi." }];
    const spans = [
      llm("a", 100, [user("Hello")], "Hi."),
      llm("b", 300, [...chat, user("Bye")], "Goodbye."),
      turn("turn", 0, 250),
      llm("c", 2300, [...chat, user("Bye"), { role: "assistant", content: "Goodbye." }, user("Bye")], "Go.", "next"),
    ];
    expect(turnTexts(...spans).filter((line) => line.startsWith("user"))).toEqual([
      "user: Hello",
      "user: Bye",
      "user: Bye",
    ]);
    expect(conversationOf(spans).modality).toBeNull();
  });
});

describe("tool calls", () => {
  test("tool calls come from the chats of later requests, each call once, with its result if there is one", () => {
    const first = [user("Book"), asks("1", "book", { day: "Tuesday" })];
    const { toolCalls } = conversationOf([
      turn("turn", 0, 9000),
      llm("a", 100, [user("Book")]),
      llm("b", 300, [...first, answers("1", "IN_PROGRESS")], "One moment."),
      llm(
        "c",
        500,
        [...first, answers("1", '{"ok":true}'), asks("1", "book", { day: "Monday" }), answers("1", "no")],
        "Done.",
      ),
    ]);
    expect(toolCalls.map((call) => [call.name, call.arguments, call.result, call.startNs, call.spanId])).toEqual([
      ["book", { day: "Tuesday" }, { ok: true }, since(200), "a"],
      ["book", { day: "Monday" }, "no", since(400), "b"],
    ]);
    expect(toolCalls[0]).toMatchObject({ endNs: null, isError: null, turnIndex: 1 });
  });

  test("tool calls are the same in a chat in the format of Anthropic or Gemini", () => {
    const anthropic = [
      {
        role: "assistant",
        content: [
          { type: "text", text: "Wait." },
          { type: "tool_use", id: "1", name: "book", input: { day: "Tuesday" } },
        ],
      },
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: "1", content: [{ type: "text", text: "taken" }] }],
      },
    ];
    const gemini = [
      { role: "model", parts: [{ function_call: { id: "1", name: "book", args: { day: "Tuesday" } } }] },
      { role: "user", parts: [{ function_response: { id: "1", name: "book", response: "taken" } }] },
    ];
    for (const chat of [anthropic, gemini]) {
      const { toolCalls, turns } = conversationOf([
        llm("a", 0, [user("Book")]),
        llm("b", 200, [user("Book"), ...chat], "Taken."),
      ]);
      expect(toolCalls).toMatchObject([{ id: "1", name: "book", arguments: { day: "Tuesday" }, result: "taken" }]);
      expect(turns.filter(({ role }) => role === "user")).toHaveLength(1);
    }
  });

  test("tool calls and answers of realtime models come from separate spans for requests and results", () => {
    const { toolCalls, modelCalls, turns } = conversationOf([
      turn("turn", 0, 5000),
      span("llm_request", "asked", 100, 101),
      span("llm_tool_call", "call", 400, 401, {
        "tool.call_id": "1",
        "tool.function_name": "book",
        "tool.arguments": '{"day":"Tuesday"}',
      }),
      span("llm_tool_result", "result", 700, 701, {
        "tool.call_id": "1",
        "tool.result": '{"error":"taken"}',
        "tool.result_status": "error",
      }),
      span("llm_response", "answered", 900, 901, { output: "It is taken.", "gen_ai.usage.input_tokens": 7 }),
    ]);
    expect(toolCalls).toMatchObject([
      { result: { error: "taken" }, isError: true, startNs: since(400), endNs: since(700) },
    ]);
    expect(modelCalls).toMatchObject([{ startNs: since(100), endNs: since(901), inputTokens: 7, turnIndex: 0 }]);
    expect(turns.map(({ text }) => text)).toEqual(["It is taken."]);
  });
});

test("the names before 1.0 are read, and unknown keys are counted", () => {
  const old = span("llm", "a", 0, 100, {
    "gen_ai.system": "openai",
    "metrics.new": 1,
    "settings.voice": "x",
    output: "Hi.",
  });
  const { generation, modelCalls, quality } = conversationOf([old]);
  expect([generation, modelCalls[0]!.provider]).toEqual(["0", "openai"]);
  expect(quality.unmappedKeys).toEqual([{ key: "metrics.new", count: 1 }]);
});
