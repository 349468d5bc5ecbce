import { describe, expect, test } from "vitest";
import { conversationOf } from "../../packages/server/src/traces/conversation/conversation.ts";
import type { StoredSpan } from "../../packages/server/src/traces/stored-span.ts";
import { agentSays, genAiSpan, userSays, says, type SpanOptions } from "../support/gen-ai-spans.ts";
import { spansOfCapture } from "../support/spans-of-capture.ts";
import { EPOCH_NS } from "../support/stored-span.ts";

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
  return genAiSpan(id, startMs, "chat", messages, options);
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
      chat("a", 0, [says("system", "Be kind."), userSays("Book")], [agentSays("One moment."), asks("1", "book")]),
      chat(
        "b",
        200,
        [userSays("Book"), agentSays("One moment."), asks("1", "book"), answers("1", "ok")],
        [agentSays("Done.")],
      ),
      chat(
        "c",
        400,
        [
          userSays("Book"),
          agentSays("One moment."),
          asks("1", "book"),
          answers("1", "ok"),
          agentSays("Done."),
          userSays("Book"),
        ],
        [agentSays("Again?")],
      ),
    ];
    expect(turnTexts(...spans)).toEqual(["user: Book", "agent: One moment.\nDone.", "user: Book", "agent: Again?"]);
  });

  test("a chat gives all turns when the requests have only the end of the history, or no history", () => {
    const cut = [
      chat("a", 0, [userSays("One")], [agentSays("1")]),
      chat("b", 200, [userSays("One"), agentSays("1"), userSays("Two")], [agentSays("2")]),
      chat("c", 400, [userSays("Two"), agentSays("2"), userSays("Three")], [agentSays("3")]),
    ];
    const expected = ["user: One", "agent: 1", "user: Two", "agent: 2", "user: Three", "agent: 3"];
    expect(turnTexts(...cut)).toEqual(expected);
    const alone = ["Yes", "Yes"].map((word, at) =>
      chat(`${at}`, at * 200, [userSays(word)], [agentSays("Good.")], { parent: `${at}` }),
    );
    expect(turnTexts(...alone)).toEqual(["user: Yes", "agent: Good.", "user: Yes", "agent: Good."]);
  });

  test("a chat keeps the order of turns that start in the same millisecond, by their nanoseconds", () => {
    const first = chat("a", 0, [agentSays("Welcome."), userSays("One.")], [agentSays("First.")]);
    const second = chat("b", 0, [userSays("One."), agentSays("First."), userSays("Two.")], [agentSays("Second.")]);
    const later = { ...second, startNs: first.startNs + 1_000n };
    const texts = ["agent: Welcome.", "user: One.", "agent: First.", "user: Two.", "agent: Second."];
    expect(turnTexts(first, later)).toEqual(texts);
    expect(turnTexts(later, first)).toEqual(texts);
  });

  test("a chat that two models answer has one user turn", () => {
    const input = [userSays("Hello")];
    expect(turnTexts(chat("a", 0, input, [agentSays("safe")]), chat("b", 200, input, [agentSays("Hi.")]))).toEqual([
      "user: Hello",
      "agent: safe\nHi.",
    ]);
  });

  test("a chat continues after a request of another chat, and has no turns for the model requests of a tool", () => {
    const inTool = { parent: "tool" };
    const spans = [
      chat("a", 0, [userSays("Book")], [asks("1", "book")]),
      genAiSpan("tool", 150, "execute_tool", { "gen_ai.tool.call.id": "1" }),
      chat("inner", 160, [userSays("Find a slot")], [agentSays("10:00")], inTool),
      chat("title", 170, [userSays("Name this chat")], [agentSays("Booking")]),
      chat("b", 300, [userSays("Book"), asks("1", "book"), answers("1", "10:00")], [agentSays("At ten.")]),
    ];
    expect(turnTexts(...spans)).toEqual(["user: Book", "agent: At ten.", "user: Name this chat", "agent: Booking"]);
    expect(conversationOf(spans).modelCalls).toHaveLength(4);
  });

  test("a chat has the greeting before the first user message, and no earlier turns when it starts in its middle", () => {
    expect(turnTexts(chat("a", 0, [agentSays("Welcome."), userSays("Hi")], [agentSays("Hello.")]))).toEqual([
      "agent: Welcome.",
      "user: Hi",
      "agent: Hello.",
    ]);
    expect(turnTexts(chat("a", 0, [userSays("One"), agentSays("1"), userSays("Two")], [agentSays("2")]))).toEqual([
      "user: Two",
      "agent: 2",
    ]);
  });

  test("a chat has the turns of a lost request or answer when a later request repeats them", () => {
    const whole = [userSays("One"), agentSays("1"), userSays("Two"), agentSays("2"), userSays("Three")];
    const lost = [chat("a", 0, [userSays("One")], []), chat("c", 400, whole, [agentSays("3")])];
    expect(turnTexts(...lost)).toEqual(["user: One", "agent: 1", "user: Two", "agent: 2", "user: Three", "agent: 3"]);
  });

  test("a chat has no agent turn when the request failed or has not ended", () => {
    const failed = chat("a", 0, [userSays("Hello")], [], { status: "error" });
    const { turns, modelCalls } = conversationOf([failed, chat("b", 200, [userSays("Hello")], [], { endMs: null })]);
    expect(turns.map(({ role }) => role)).toEqual(["user"]);
    expect(modelCalls.map(({ isError }) => isError)).toEqual([true, null]);
  });

  test("a chat with an agent that runs in another service comes from the agent's own span", () => {
    const outside = {
      "gen_ai.input.messages": JSON.stringify([userSays("Hi")]),
      "gen_ai.output.messages": JSON.stringify([agentSays("Hello.")]),
    };
    const remote = genAiSpan("a", 0, "invoke_agent", outside);
    expect(turnTexts(remote)).toEqual(["user: Hi", "agent: Hello."]);
    expect(conversationOf([remote]).modelCalls).toEqual([]);
    expect(turnTexts(remote, chat("b", 10, [userSays("Hi")], [agentSays("Hello.")], { parent: "a" }))).toHaveLength(2);
  });

  test("a chat has a turn without text for an image", () => {
    const image = { role: "user", parts: [{ type: "uri", modality: "image", uri: "https://example.com/a.png" }] };
    expect(turnTexts(chat("a", 0, [image], [agentSays("A cat.")]))).toEqual(["user: null", "agent: A cat."]);
  });

  test("a chat can be in the events of a span", () => {
    const asked = { timeNs: EPOCH_NS, name: "gen_ai.user.message", attributes: { content: "Hi" } };
    const chosen = {
      timeNs: EPOCH_NS,
      name: "gen_ai.choice",
      attributes: { message: '{"content":"Hello."}', index: 0 },
    };
    expect(turnTexts(genAiSpan("a", 0, "chat", {}, { events: [asked, chosen] }))).toEqual([
      "user: Hi",
      "agent: Hello.",
    ]);
    const attributes = { "gen_ai.input.messages": JSON.stringify([userSays("Hi")]) };
    const details = { timeNs: EPOCH_NS, name: "gen_ai.client.inference.operation.details", attributes };
    expect(turnTexts(genAiSpan("a", 0, "chat", {}, { events: [details] }))[0]).toBe("user: Hi");
  });
});

describe("tool calls", () => {
  test("tool calls come from tool spans with values from the chat, and from the chat alone where a tool has no span", () => {
    const { toolCalls } = conversationOf([
      chat("a", 0, [userSays("Book")], [asks("1", "book"), asks("2", "pay")]),
      genAiSpan("tool", 150, "execute_tool", { "gen_ai.tool.call.id": "1" }, { endMs: 170 }),
      chat(
        "b",
        300,
        [userSays("Book"), asks("1", "book"), asks("2", "pay"), answers("1", { ok: true }), answers("2", "paid")],
        [],
      ),
    ]);
    expect(toolCalls).toMatchObject([
      { id: "2", name: "pay", result: "paid", isError: null, endNs: null, spanId: "a" },
      { id: "1", name: "book", arguments: { day: "Tuesday" }, result: { ok: true }, isError: false, spanId: "tool" },
    ]);
  });

  test("tool calls before the last user message are left out when the first chat starts in the middle of the conversation", () => {
    const before = [userSays("A"), asks("1", "book"), answers("1", "first"), agentSays("ok"), userSays("B")];
    const spans = [
      chat("a", 0, before, [asks("1", "book")]),
      chat("b", 200, [...before, asks("1", "book"), answers("1", "second")], [agentSays("ok")]),
    ];
    expect(conversationOf(spans).toolCalls.map(({ result, spanId }) => [result, spanId])).toEqual([["second", "a"]]);
  });

  test("tool calls with the same id are distinguished by their order", () => {
    const first = [userSays("A"), asks("1", "book"), answers("1", "first")];
    const both = [...first, agentSays("ok"), userSays("B"), asks("1", "book"), answers("1", "second")];
    const spans = [
      chat("a", 0, [userSays("A")], [asks("1", "book")]),
      chat("b", 200, first, [agentSays("ok")]),
      chat("c", 400, [...first, agentSays("ok"), userSays("B")], [asks("1", "book")]),
      chat("d", 600, both, [agentSays("ok")]),
      chat("e", 800, both.slice(4), [agentSays("ok")]),
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
    genAiSpan("a", 0, "chat", { "gen_ai.response.time_to_first_chunk": 0.25 }),
    genAiSpan("b", 100, "chat", {}, { events: [event(180), event(140)] }),
    genAiSpan("c", 300, "chat"),
    genAiSpan("d", 400, "chat", {}, { events: [event(433, "gen_ai.content.completion.chunk")] }),
  ]);
  expect(modelCalls.map(({ timeToFirstTokenMs }) => timeToFirstTokenMs)).toEqual([250, 40, null, 33]);
});

test("speech calls with the proposed names make a voice conversation", () => {
  const speech = [
    genAiSpan("a", 0, "speech_to_text"),
    genAiSpan("b", 200, "text_to_speech", { "gen_ai.response.time_to_first_chunk": 0.1 }),
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
    genAiSpan("a", 0, "chat", { "gen_ai.new.key": 1, "gen_ai.usage.audio.input_tokens": 1 }),
  ]);
  expect(quality.unmappedKeys).toEqual([{ key: "gen_ai.new.key", count: 1 }]);
});
