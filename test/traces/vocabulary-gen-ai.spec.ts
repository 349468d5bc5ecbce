import { describe, expect, test } from "vitest";
import { conversationOf } from "../../packages/server/src/traces/conversation/conversation.ts";
import type { StoredSpan } from "../../packages/server/src/traces/stored-span.ts";
import { spansOfCapture } from "../support/spans-of-capture.ts";
import { EPOCH_NS, storedSpan } from "../support/stored-span.ts";

type Attributes = Record<string, unknown>;
type SpanOptions = Partial<Parameters<typeof storedSpan>[0]>;

const span = (id: string, startMs: number, operation: string, attributes: Attributes = {}, options: SpanOptions = {}) =>
  storedSpan({
    id,
    parent: "turn",
    startMs,
    endMs: startMs + 100,
    scopeName: "my-app",
    attributes: { "gen_ai.operation.name": operation, ...attributes },
    ...options,
  });

const says = (role: string, content: string) => ({ role, parts: [{ type: "text", content }] });
const user = (content: string) => says("user", content);
const agent = (content: string) => says("assistant", content);
const asks = (id: string, name: string) => ({
  role: "assistant",
  parts: [{ type: "tool_call", id, name, arguments: { day: "Tuesday" } }],
});
const answers = (id: string, response: unknown) => ({
  role: "tool",
  parts: [{ type: "tool_call_response", id, response }],
});

const chat = (id: string, startMs: number, input: unknown[], output: unknown[], options: SpanOptions = {}) => {
  const messages = { "gen_ai.input.messages": JSON.stringify(input), "gen_ai.output.messages": JSON.stringify(output) };
  return span(id, startMs, "chat", messages, options);
};

const turnTexts = (...spans: StoredSpan[]) => conversationOf(spans).turns.map(({ role, text }) => `${role}: ${text}`);

const SETS = ["gen-ai-openai-2.4b0-text", "gen-ai-azure-1.0.0b9-text", "gen-ai-openllmetry-0.40.14-text"];

describe("recorded conversations", () => {
  test.each([...SETS.slice(1), "openinference-openai-0.1.66-text"])(
    "%s gives the same conversation as the newest names",
    (set) => {
      const words = (name: string) => {
        const { turns, toolCalls } = conversationOf(spansOfCapture(name));
        return [
          turns.map(({ role, text }) => [role, text]),
          toolCalls.map((call) => [call.id, call.name, call.arguments, call.result, call.isError, call.turnIndex]),
        ];
      };
      expect(words(set)).toEqual(words(SETS[0]!));
      expect(words(set)[0]).toHaveLength(6);
    },
  );

  test("recorded conversations with withheld content have the agent's turns, the tool calls and the token counts", () => {
    const full = conversationOf(spansOfCapture(SETS[0]!));
    const bare = conversationOf(spansOfCapture("gen-ai-openai-2.0b0-withheld"));
    const agentTurns = (of: typeof full) => of.turns.filter(({ role }) => role === "agent").length;
    expect(agentTurns(bare)).toBe(agentTurns(full));
    expect(bare.turns.every(({ role, text }) => role === "agent" && text === null)).toBe(true);
    expect(bare.toolCalls.map(({ name, isError }) => [name, isError])).toEqual(
      full.toolCalls.map(({ name, isError }) => [name, isError]),
    );
    expect(bare.modelCalls.map(({ inputTokens }) => inputTokens)).toEqual([42, 43, 44, 45, 46]);
  });

  test.each([
    [SETS[0]!, "1.37"],
    [SETS[1]!, "1.27"],
    [SETS[2]!, "1.26"],
  ])("%s uses the names of version %s of the conventions", (set, generation) => {
    expect(conversationOf(spansOfCapture(set))).toMatchObject({ vocabulary: "gen_ai", generation, modality: null });
  });
});

describe("a chat", () => {
  test("a chat gives each turn once though each request repeats the chat, and the steps of a tool loop are one turn", () => {
    const spans = [
      chat("a", 0, [says("system", "Be kind."), user("Book")], [agent("One moment."), asks("1", "book")]),
      chat("b", 200, [user("Book"), agent("One moment."), asks("1", "book"), answers("1", "ok")], [agent("Done.")]),
      chat(
        "c",
        400,
        [user("Book"), agent("One moment."), asks("1", "book"), answers("1", "ok"), agent("Done."), user("Book")],
        [agent("Again?")],
      ),
    ];
    expect(turnTexts(...spans)).toEqual(["user: Book", "agent: One moment.\nDone.", "user: Book", "agent: Again?"]);
  });

  test("a chat gives all turns when the requests have only the end of the history, or no history", () => {
    const cut = [
      chat("a", 0, [user("One")], [agent("1")]),
      chat("b", 200, [user("One"), agent("1"), user("Two")], [agent("2")]),
      chat("c", 400, [user("Two"), agent("2"), user("Three")], [agent("3")]),
    ];
    const expected = ["user: One", "agent: 1", "user: Two", "agent: 2", "user: Three", "agent: 3"];
    expect(turnTexts(...cut)).toEqual(expected);
    const alone = ["Yes", "Yes"].map((word, at) =>
      chat(`${at}`, at * 200, [user(word)], [agent("Good.")], { parent: `${at}` }),
    );
    expect(turnTexts(...alone)).toEqual(["user: Yes", "agent: Good.", "user: Yes", "agent: Good."]);
  });

  test("a chat keeps the order of turns that start in the same millisecond, by their nanoseconds", () => {
    const first = chat("a", 0, [agent("Welcome."), user("One.")], [agent("First.")]);
    const second = chat("b", 0, [user("One."), agent("First."), user("Two.")], [agent("Second.")]);
    const later = { ...second, startNs: first.startNs + 1_000n };
    const texts = ["agent: Welcome.", "user: One.", "agent: First.", "user: Two.", "agent: Second."];
    expect(turnTexts(first, later)).toEqual(texts);
    expect(turnTexts(later, first)).toEqual(texts);
  });

  test("a chat that two models answer has one user turn", () => {
    const input = [user("Hello")];
    expect(turnTexts(chat("a", 0, input, [agent("safe")]), chat("b", 200, input, [agent("Hi.")]))).toEqual([
      "user: Hello",
      "agent: safe\nHi.",
    ]);
  });

  test("a chat continues after a request of another chat, and has no turns for the model requests of a tool", () => {
    const inTool = { parent: "tool" };
    const spans = [
      chat("a", 0, [user("Book")], [asks("1", "book")]),
      span("tool", 150, "execute_tool", { "gen_ai.tool.call.id": "1" }),
      chat("inner", 160, [user("Find a slot")], [agent("10:00")], inTool),
      chat("title", 170, [user("Name this chat")], [agent("Booking")]),
      chat("b", 300, [user("Book"), asks("1", "book"), answers("1", "10:00")], [agent("At ten.")]),
    ];
    expect(turnTexts(...spans)).toEqual(["user: Book", "agent: At ten.", "user: Name this chat", "agent: Booking"]);
    expect(conversationOf(spans).modelCalls).toHaveLength(4);
  });

  test("a chat has the greeting before the first user message, and no earlier turns when it starts in its middle", () => {
    expect(turnTexts(chat("a", 0, [agent("Welcome."), user("Hi")], [agent("Hello.")]))).toEqual([
      "agent: Welcome.",
      "user: Hi",
      "agent: Hello.",
    ]);
    expect(turnTexts(chat("a", 0, [user("One"), agent("1"), user("Two")], [agent("2")]))).toEqual([
      "user: Two",
      "agent: 2",
    ]);
  });

  test("a chat has the turns of a lost request or answer when a later request repeats them", () => {
    const whole = [user("One"), agent("1"), user("Two"), agent("2"), user("Three")];
    const lost = [chat("a", 0, [user("One")], []), chat("c", 400, whole, [agent("3")])];
    expect(turnTexts(...lost)).toEqual(["user: One", "agent: 1", "user: Two", "agent: 2", "user: Three", "agent: 3"]);
  });

  test("a chat has no agent turn when the request failed or has not ended", () => {
    const failed = chat("a", 0, [user("Hello")], [], { status: "error" });
    const { turns, modelCalls } = conversationOf([failed, chat("b", 200, [user("Hello")], [], { endMs: null })]);
    expect(turns.map(({ role }) => role)).toEqual(["user"]);
    expect(modelCalls.map(({ isError }) => isError)).toEqual([true, null]);
  });

  test("a chat with an agent that runs in another service comes from the agent's own span", () => {
    const outside = {
      "gen_ai.input.messages": JSON.stringify([user("Hi")]),
      "gen_ai.output.messages": JSON.stringify([agent("Hello.")]),
    };
    const remote = span("a", 0, "invoke_agent", outside);
    expect(turnTexts(remote)).toEqual(["user: Hi", "agent: Hello."]);
    expect(conversationOf([remote]).modelCalls).toEqual([]);
    expect(turnTexts(remote, chat("b", 10, [user("Hi")], [agent("Hello.")], { parent: "a" }))).toHaveLength(2);
  });

  test("a chat has a turn without text for an image", () => {
    const image = { role: "user", parts: [{ type: "uri", modality: "image", uri: "https://example.com/a.png" }] };
    expect(turnTexts(chat("a", 0, [image], [agent("A cat.")]))).toEqual(["user: null", "agent: A cat."]);
  });

  test("a chat can be in the events of a span", () => {
    const asked = { timeNs: EPOCH_NS, name: "gen_ai.user.message", attributes: { content: "Hi" } };
    const chosen = {
      timeNs: EPOCH_NS,
      name: "gen_ai.choice",
      attributes: { message: '{"content":"Hello."}', index: 0 },
    };
    expect(turnTexts(span("a", 0, "chat", {}, { events: [asked, chosen] }))).toEqual(["user: Hi", "agent: Hello."]);
    const attributes = { "gen_ai.input.messages": JSON.stringify([user("Hi")]) };
    const details = { timeNs: EPOCH_NS, name: "gen_ai.client.inference.operation.details", attributes };
    expect(turnTexts(span("a", 0, "chat", {}, { events: [details] }))[0]).toBe("user: Hi");
  });
});

describe("tool calls", () => {
  test("tool calls come from tool spans with values from the chat, and from the chat alone where a tool has no span", () => {
    const { toolCalls } = conversationOf([
      chat("a", 0, [user("Book")], [asks("1", "book"), asks("2", "pay")]),
      span("tool", 150, "execute_tool", { "gen_ai.tool.call.id": "1" }, { endMs: 170 }),
      chat(
        "b",
        300,
        [user("Book"), asks("1", "book"), asks("2", "pay"), answers("1", { ok: true }), answers("2", "paid")],
        [],
      ),
    ]);
    expect(toolCalls).toMatchObject([
      { id: "2", name: "pay", result: "paid", isError: null, endNs: null, spanId: "a" },
      { id: "1", name: "book", arguments: { day: "Tuesday" }, result: { ok: true }, isError: false, spanId: "tool" },
    ]);
  });

  test("tool calls before the last user message are left out when the first chat starts in the middle of the conversation", () => {
    const before = [user("A"), asks("1", "book"), answers("1", "first"), agent("ok"), user("B")];
    const spans = [
      chat("a", 0, before, [asks("1", "book")]),
      chat("b", 200, [...before, asks("1", "book"), answers("1", "second")], [agent("ok")]),
    ];
    expect(conversationOf(spans).toolCalls.map(({ result, spanId }) => [result, spanId])).toEqual([["second", "a"]]);
  });

  test("tool calls with the same id are distinguished by their order", () => {
    const first = [user("A"), asks("1", "book"), answers("1", "first")];
    const both = [...first, agent("ok"), user("B"), asks("1", "book"), answers("1", "second")];
    const spans = [
      chat("a", 0, [user("A")], [asks("1", "book")]),
      chat("b", 200, first, [agent("ok")]),
      chat("c", 400, [...first, agent("ok"), user("B")], [asks("1", "book")]),
      chat("d", 600, both, [agent("ok")]),
      chat("e", 800, both.slice(4), [agent("ok")]),
    ];
    expect(conversationOf(spans).toolCalls.map(({ result, spanId }) => [result, spanId])).toEqual([
      ["first", "a"],
      ["second", "c"],
    ]);
  });
});

test("the time to the first token comes from the attribute or from the event of the first token", () => {
  const event = (ms: number, name = "llm.content.completion.chunk") => ({
    timeNs: EPOCH_NS + BigInt(ms * 1e6),
    name,
    attributes: {},
  });
  const { modelCalls } = conversationOf([
    span("a", 0, "chat", { "gen_ai.response.time_to_first_chunk": 0.25 }),
    span("b", 100, "chat", {}, { events: [event(180), event(140)] }),
    span("c", 300, "chat"),
    span("d", 400, "chat", {}, { events: [event(433, "gen_ai.content.completion.chunk")] }),
  ]);
  expect(modelCalls.map(({ timeToFirstTokenMs }) => timeToFirstTokenMs)).toEqual([250, 40, null, 33]);
});

test("speech calls with the proposed names make a voice conversation", () => {
  const speech = [
    span("a", 0, "speech_to_text"),
    span("b", 200, "text_to_speech", { "gen_ai.response.time_to_first_chunk": 0.1 }),
  ];
  const { speechCalls, modality } = conversationOf(speech);
  expect(speechCalls).toMatchObject([
    { kind: "stt", timeToFirstByteMs: null },
    { kind: "tts", timeToFirstByteMs: 100 },
  ]);
  expect(modality).toBe("voice");
});

test("unknown gen_ai keys are counted", () => {
  const { quality } = conversationOf([
    span("a", 0, "chat", { "gen_ai.new.key": 1, "gen_ai.usage.audio.input_tokens": 1 }),
  ]);
  expect(quality.unmappedKeys).toEqual([{ key: "gen_ai.new.key", count: 1 }]);
});

describe("a live session", () => {
  const live = (id: string, startMs: number, words: string, attributes: Attributes = {}, options: SpanOptions = {}) =>
    span(
      id,
      startMs,
      "realtime_inference",
      {
        "gen_ai.request.model": "gpt-realtime",
        "gen_ai.usage.input_tokens": 120,
        "gen_ai.output.messages": JSON.stringify([agent(words)]),
        ...attributes,
      },
      options,
    );
  const END = { "gen_ai.agent.invocation.end_reason": "interrupted" };

  test("a live session is a spoken conversation, with the tokens of its requests and the turns that the user interrupted", () => {
    const conversation = conversationOf([
      live("a", 0, "Your room is booked for"),
      live("b", 500, "Friday and Saturday, and", END),
      live("c", 900, "Sunday then."),
    ]);
    expect(conversation.modality).toBe("voice");
    expect(conversation.turns.map(({ text, interrupted }) => [text, interrupted])).toEqual([
      ["Your room is booked for", null],
      ["Friday and Saturday, and", true],
      ["Sunday then.", null],
    ]);
    expect(conversation.modelCalls.map(({ model, inputTokens }) => [model, inputTokens])).toEqual(
      Array.from({ length: 3 }, () => ["gpt-realtime", 120]),
    );
    expect(conversation.quality.unmappedKeys).toEqual([]);
  });

  test("a live session marks the last turn of an agent's invocation that the user interrupted", () => {
    const invocation = span("agent", 0, "invoke_agent", END, { endMs: 1_000 });
    const conversation = conversationOf([
      invocation,
      live("a", 0, "First.", {}, { parent: "agent" }),
      live("b", 500, "Second.", {}, { parent: "agent" }),
    ]);
    expect(conversation.turns.map(({ interrupted }) => interrupted)).toEqual([null, true]);
  });

  const audio = (transcript?: string) => ({
    role: "user",
    parts: [{ type: "blob", modality: "audio", mime_type: "audio/pcm", content: "bW9jaw==", transcript }],
  });
  const hears = (words?: string) => ({ "gen_ai.input.messages": JSON.stringify([audio(words)]) });
  const speaks = (id: string, startMs: number, endMs: number, attributes: Attributes = {}) =>
    span(id, startMs, "user_speech", attributes, { endMs });
  const ms = (ns: bigint | null) => ns && Number(ns - EPOCH_NS) / 1e6;
  const told = (...spans: StoredSpan[]) => {
    const { turns, userSpeech, modality } = conversationOf(spans);
    expect(modality).toBe("voice");
    return {
      turns: turns.map(({ role, text, startNs, endNs }) => [role, text, ms(startNs), ms(endNs)]),
      speech: userSpeech.map(({ startNs, endNs, turnIndex }) => [ms(startNs), ms(endNs), turnIndex]),
    };
  };

  test("a live session has the user's turns with the times of their speech, and never sound as words", () => {
    expect(
      told(
        speaks("a", 0, 400),
        live("b", 500, "Which day?", hears("A room, please.")),
        speaks("c", 900, 1_000, hears("For")),
        speaks("d", 1_200, 1_500, hears("Friday.")),
        live("e", 1_600, "It is booked.", hears()),
      ),
    ).toEqual({
      turns: [
        ["user", "A room, please.", 0, 400],
        ["agent", "Which day?", 500, 600],
        ["user", "For Friday.", 900, 1_500],
        ["agent", "It is booked.", 1_600, 1_700],
      ],
      speech: [
        [0, 400, 0],
        [900, 1_000, 2],
        [1_200, 1_500, 2],
      ],
    });
  });

  test("a live session without messages has the user's turns by their speech alone, also one that nobody answers", () => {
    const silent = (id: string, startMs: number) => span(id, startMs, "realtime_inference");
    const { turns, speech } = told(
      speaks("a", 0, 400),
      silent("b", 500),
      speaks("c", 900, 1_200),
      silent("d", 1_300),
      speaks("e", 2_000, 2_200),
    );
    expect(turns.map(([role, text, startMs]) => [role, text, startMs])).toEqual([
      ["user", null, 0],
      ["agent", null, 500],
      ["user", null, 900],
      ["agent", null, 1_300],
      ["user", null, 2_000],
    ]);
    expect(speech.map(([, , turn]) => turn)).toEqual([0, 2, 4]);
  });

  test("a live session in which the user says the same twice has two turns of the user", () => {
    const { turns } = told(
      speaks("a", 0, 100),
      live("b", 200, "Sorry?", hears("Yes.")),
      speaks("c", 400, 500),
      live("d", 600, "Fine.", hears("Yes.")),
    );
    expect(turns.map(([role, text]) => `${role}: ${text}`)).toEqual([
      "user: Yes.",
      "agent: Sorry?",
      "user: Yes.",
      "agent: Fine.",
    ]);
  });

  test("a live session in which a barge-in starts during an answer keeps both turns of the user apart", () => {
    const { turns, speech } = told(
      speaks("a", 0, 100),
      live("b", 200, "The weather in Par", { ...hears("Weather in Paris?"), ...END }, { endMs: 900 }),
      speaks("c", 700, 1_100),
      live("d", 1_200, "And in Rome it rains.", hears("And in Rome?")),
    );
    expect(turns.map(([role, text, startMs]) => [role, text, startMs])).toEqual([
      ["user", "Weather in Paris?", 0],
      ["agent", "The weather in Par", 200],
      ["user", "And in Rome?", 700],
      ["agent", "And in Rome it rains.", 1_200],
    ]);
    expect(speech.map(([, , turn]) => turn)).toEqual([0, 2]);
  });
});
