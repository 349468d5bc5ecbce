import { describe, expect, test } from "vitest";
import { conversationOf } from "../../packages/server/src/traces/conversation/conversation.ts";
import { EPOCH_NS, storedSpan } from "../support/stored-span.ts";
import {
  session,
  span,
  agentTurn,
  userTurn,
  speaking,
  tool,
  chat,
  message,
  turnTexts,
} from "../support/platform-b-spans.ts";

describe("agent turns", () => {
  test("each speech of the agent is one turn, with the text and the tool calls of all its steps", () => {
    const { turns, toolCalls } = conversationOf([
      session,
      agentTurn("first", 1000, { "lk.speech_id": "s", "lk.response.text": "Let me look.", "lk.interrupted": false }),
      tool("call", "first", 1100, {}),
      agentTurn("second", 1200, { "lk.speech_id": "s", "lk.response.text": "It is taken.", "lk.interrupted": "True" }),
      tool("other", "second", 1300, {}),
    ]);
    expect(turns).toMatchObject([
      { text: "Let me look.\nIt is taken.", interrupted: true, speechId: "s", spanIds: ["first", "second"] },
    ]);
    expect(turns[0]!.endNs).toBe(EPOCH_NS + 1_700_000_000n);
    expect(toolCalls.map((call) => [call.spanId, call.turnIndex])).toEqual([
      ["call", 0],
      ["other", 0],
    ]);
  });

  describe("that have one span for all steps", () => {
    const asked = (id: string, startMs: number, text: string) =>
      span("llm_node", id, startMs, startMs + 50, { "lk.pii.response.text": text }, { parent: "turn" });
    const turn = (text: string | null, steps: unknown) =>
      agentTurn("turn", 1000, {
        "lk.generation_count": steps,
        ...(text !== null && { "lk.pii.response.text": text }),
      });
    const called = (id: string, startMs: number) => tool(id, "turn", startMs, {});

    test("agent turns that have one span for all steps include the text before each tool call", () => {
      const spans = [asked("one", 1010, "Let me look."), called("a", 1040), called("b", 1045)];
      const more = [asked("two", 1100, ""), called("c", 1140), asked("three", 1200, "It is taken.")];
      const expected = ["agent: Let me look.\nIt is taken."];
      expect(turnTexts(session, turn("It is taken.", 3), ...spans, ...more)).toEqual(expected);
      expect(turnTexts(session, turn("It is taken.", "3"), ...more, ...spans)).toEqual(expected);
    });

    test("agent turns that have one span for all steps leave out the text of a discarded request, and the text after an interruption", () => {
      const spans = [asked("one", 1010, "For which day?"), asked("two", 1100, "One moment."), called("a", 1140)];
      expect(turnTexts(session, turn("One", 1), ...spans)).toEqual(["agent: One"]);
      expect(turnTexts(session, turn("Done.", 2), ...spans, asked("three", 1200, "Done."))).toEqual([
        "agent: One moment.\nDone.",
      ]);
    });

    test("agent turns that have one span for all steps repeat the earlier text only if the last step said the same text again", () => {
      const spans = [asked("one", 1010, "One **moment**."), called("a", 1040)];
      const plain = [asked("one", 1010, "One moment."), called("a", 1040)];
      expect(turnTexts(session, turn("One moment.", 2), ...spans, asked("two", 1100, ""))).toEqual([
        "agent: One moment.",
      ]);
      expect(turnTexts(session, turn("One moment.", 2), ...plain, asked("two", 1100, "Do"))).toEqual([
        "agent: One moment.",
      ]);
      expect(turnTexts(session, turn("One moment.", 2), ...plain, asked("two", 1100, "One moment."))).toEqual([
        "agent: One moment.\nOne moment.",
      ]);
    });

    test("agent turns that have one span for all steps have the text of the turn span when the requests are missing, and no text when the sender withholds it", () => {
      expect(turnTexts(session, turn("Done.", 2), called("a", 1140))).toEqual(["agent: Done."]);
      expect(turnTexts(session, turn(null, 2), asked("one", 1010, "One moment."), called("a", 1040))).toEqual([
        "agent: null",
      ]);
    });
  });

  test("agent turns can have the span name of the first generation", () => {
    const conversation = conversationOf([
      session,
      span("assistant_turn", "a", 1, 2, { "lk.user_input": "Hi", "lk.response.text": "Hello" }),
    ]);
    expect(conversation.generation).toBe("G0");
    expect(conversation.turns.map((turn) => turn.text)).toEqual(["Hi", "Hello"]);
  });

  test("agent turns leave out a speech that was begun before the user's last word and discarded", () => {
    const ahead = agentTurn("ahead", 1500, { "lk.pii.user_input": "I want to", "lk.interrupted": true });
    const answer = agentTurn("answer", 2010, { "lk.pii.user_input": "I want to book", "lk.response.text": "When?" });
    const heard = userTurn("heard", 1000, 2000, "I want to book");
    const voice = span("user_speaking", "voice", 1000, 1900, {}, { parent: "heard" });
    expect(turnTexts(session, ahead, answer, heard, voice)).toEqual(["user: I want to book", "agent: When?"]);
    expect(turnTexts(session, ahead, answer, voice)).toEqual(["user: I want to book", "agent: When?"]);
  });

  test("agent turns have the texts of their steps by start, whichever spans are the parents", () => {
    const nested = span("agent_turn", "nested", 3000, 3500, { "lk.speech_id": "s", "lk.response.text": "Second." });
    const first = agentTurn("first", 2000, { "lk.speech_id": "s", "lk.response.text": "First." });
    const hook = span("hook", "hook", 1000, 4000);
    expect(turnTexts(session, hook, { ...nested, parentSpanId: "hook" }, first)).toEqual(["agent: First.\nSecond."]);
  });

  test("agent turns come after a user turn that starts at the same time", () => {
    const heard = userTurn("z", 1000, 1000, "Hello");
    expect(turnTexts(agentTurn("a", 1000, { "lk.response.text": "Hi" }), heard)).toEqual(["user: Hello", "agent: Hi"]);
  });

  test("agent turns have no end while a step has not ended, and no text when the sender withholds it", () => {
    const open = storedSpan({ id: "open", name: "agent_turn", startMs: 5, endMs: null });
    const { turns } = conversationOf([open, speaking("audio", "open", 6)]);
    expect(turns).toMatchObject([{ role: "agent", text: null, endNs: null, interrupted: null, speechId: null }]);

    const done = agentTurn("done", 0, { "lk.speech_id": "s", "lk.response.text": "Wait." });
    const next = { ...agentTurn("next", 600, { "lk.speech_id": "s" }), endNs: null };
    expect(conversationOf([done, next]).turns).toMatchObject([{ text: "Wait.", endNs: null }]);
  });
});

describe("the audio of session.say()", () => {
  const entered = span("on_enter", "entered", 1, 2, {}, { parent: "activity" });
  const activity = span("start_agent_activity", "activity", 0, 3);
  const answer = agentTurn("answer", 2000, { "lk.response.text": "Fine." });

  test("the audio of session.say() is a turn whose text is the message with its time in the next chat", () => {
    const chats = chat("llm", "answer", 2000, [
      message("An example"),
      message("Welcome!", 10, true),
      message("Hm", 900),
    ]);
    const { turns } = conversationOf([session, activity, entered, speaking("greeting", "entered", 10), answer, chats]);
    expect(turns[0]).toMatchObject({ text: "Welcome!", interrupted: true, speechId: null, spanIds: ["greeting"] });
  });

  test("the audio of session.say() keeps its order and text in the middle of a call, even before the session span arrives", () => {
    const filler = speaking("filler", "session", 3000, 3400);
    const late = agentTurn("late", 4000, { "lk.response.text": "Done." });
    const chats = chat("llm", "late", 4000, [
      message("Welcome!", 10),
      message("Fine.", 2100),
      message("One moment", 3000),
    ]);
    const spans = [activity, entered, speaking("greeting", "entered", 10), answer, filler, late, chats];
    const expected = ["agent: Welcome!", "agent: Fine.", "agent: One moment", "agent: Done."];
    expect(turnTexts(session, ...spans)).toEqual(expected);
    expect(turnTexts(...spans)).toEqual(expected);
  });

  test("the audio of session.say() has its text from the agent's messages in the following requests", () => {
    const before = [1, 2, 3, 4].map((at) =>
      chat(`llm${at}`, "answer", 2000 + at, [{ ...message("Hi", 3000), role: "user" }]),
    );
    const after = chat("after", "answer", 3500, [
      { ...message("Hi", 3000), role: "user" },
      message("One moment", 3000),
    ]);
    expect(turnTexts(session, answer, ...before, speaking("filler", "session", 3000), after)).toEqual([
      "agent: Fine.",
      "agent: One moment",
    ]);
  });

  test("the audio of session.say() has a text from a chat without times only if the chat has as many such messages as there were such audio spans", () => {
    const request = (messages: unknown[]) =>
      span(
        "llm_request",
        "llm",
        2000,
        2050,
        { "gen_ai.input.messages": JSON.stringify(messages) },
        { parent: "answer" },
      );
    const genAi = (text: string) => ({ role: "assistant", parts: [{ type: "text", content: text }] });
    const spans = [session, activity, entered, speaking("greeting", "entered", 10), answer];
    expect(turnTexts(...spans, request([genAi("Welcome!"), genAi("Fine.")]))[0]).toBe("agent: Welcome!");
    expect(turnTexts(...spans, request([genAi("An example"), genAi("Welcome!")]))[0]).toBe("agent: null");
    expect(turnTexts(...spans)[0]).toBe("agent: null");
    const during = { ...request([]), spanId: "early", startNs: EPOCH_NS + 20_000_000n };
    expect(turnTexts(...spans, during, request([genAi("Welcome!"), genAi("Fine.")]))[0]).toBe("agent: Welcome!");
  });

  test("the audio of session.say() is not a turn while its parent span, which may be a turn, has not arrived", () => {
    expect(turnTexts(session, speaking("audio", "unknown", 10))).toEqual([]);
    expect(
      turnTexts(session, agentTurn("turn", 5, { "lk.response.text": "Hi" }), speaking("audio", "turn", 10)),
    ).toEqual(["agent: Hi"]);
  });

  test("the audio of session.say() is not a second turn if it has a turn span, as in Python and after generate_reply()", () => {
    const turn = span("agent_turn", "turn", 5, 90, { "lk.pii.response.text": "Hi" }, { parent: "entered" });
    expect(turnTexts(session, activity, entered, turn, speaking("audio", "turn", 10))).toEqual(["agent: Hi"]);
  });
});

describe("user turns", () => {
  test("user turns are not repeated by the input of the answering speech, even if the answer is slow or the input is edited", () => {
    const voice = [userTurn("u1", 0, 1000, "Hello"), userTurn("u2", 20_000, 21_000, "Bye")];
    const slow = agentTurn("a1", 9000, { "lk.user_input": "Hello", "lk.response.text": "Hi" });
    const edited = agentTurn("a2", 21_000, { "lk.user_input": "Bye (it is late)", "lk.response.text": "Bye" });
    expect(turnTexts(session, ...voice, slow, edited)).toEqual(["user: Hello", "agent: Hi", "user: Bye", "agent: Bye"]);
  });

  test("user turns include text typed during a voice call, and unanswered text in a typed conversation", () => {
    const heard = userTurn("u1", 0, 1000, "Hello");
    const typed = agentTurn("a1", 9000, { "lk.user_input": "my e-mail is a@b.c", "lk.response.text": "Thanks" });
    expect(turnTexts(session, heard, typed)).toEqual(["user: Hello", "user: my e-mail is a@b.c", "agent: Thanks"]);
    expect(turnTexts(session, agentTurn("a1", 9000, { "lk.user_input": "Anyone?" }))).toEqual(["user: Anyone?"]);
  });

  test("user turns have no confidence if the recogniser gives none", () => {
    const turns = [0.5, 0, "1", 7, null].map((confidence, index) =>
      span("user_turn", `u${index}`, index, index, {
        "lk.user_transcript": "Hi",
        "lk.transcript_confidence": confidence,
      }),
    );
    expect(conversationOf(turns).turns.map((turn) => turn.confidence)).toEqual([0.5, null, 1, null, null]);
  });

  test("user turns without a transcript count if there was speech with withheld text, and not at the end of a call", () => {
    const attributes = { "lk.transcript_confidence": 0, "lk.end_of_turn_delay": 0 };
    const withheld = span("user_turn", "withheld", 0, 9, attributes);
    const voice = span("user_speaking", "voice", 0, 8, {}, { parent: "withheld" });
    const closing = span("user_turn", "closing", 50, 51, { ...attributes, "lk.pii.user_transcript": "" });
    expect(turnTexts(session, withheld, voice, closing)).toEqual(["user: null"]);
    expect(turnTexts(session, withheld, closing)).toEqual([]);
    expect(turnTexts(session, closing, { ...voice, parentSpanId: "closing" })).toEqual([]);
    expect(turnTexts(session, { ...withheld, attributes: {} }, voice)).toEqual([]);
  });
});

describe("the events of a speech-to-speech session that our helpers send", () => {
  const heard = (id: string, startMs: number, endMs: number, text: string | null, item = id, atMs = endMs) =>
    span(
      "svc.user_transcript",
      id,
      startMs,
      endMs,
      {
        "svc.item_id": item,
        "svc.transcribed_at": atMs / 1000,
        ...(text !== null && { "svc.pii.user_transcript": text }),
      },
      { scopeName: "svc-worker-helper" },
    );
  const answer = (id: string, startMs: number, text: string) =>
    agentTurn(id, startMs, { "lk.pii.response.text": text });
  const interruption = (id: string, attributes: Record<string, unknown> = {}) =>
    conversationOf([
      session,
      agentTurn("a", 1000, { "lk.pii.response.text": "Once upon", ...attributes }),
      span("svc.speech_interrupted", "i", 1000, 1400, { "svc.speech_id": id }),
    ]).turns[0]!.interrupted;

  test("the user's words are turns at the time they were spoken, even if they arrive after the answer began", () => {
    const { turns, modality } = conversationOf([
      session,
      answer("one", 1600, "Hello."),
      heard("words", 1000, 1500, "Hi", "item", 1900),
      heard("later", 3000, 3000, "Are you there?"),
    ]);
    expect(turns).toMatchObject([
      { role: "user", text: "Hi", startNs: EPOCH_NS + 1_000_000_000n, endNs: EPOCH_NS + 1_500_000_000n },
      { role: "agent", text: "Hello." },
      { role: "user", text: "Are you there?", endNs: null },
    ]);
    expect(modality).toBe("voice");
  });

  test("the speech that begins just before the words do is the speech of these words, so that the latency is derived", () => {
    const speech = [span("user_speaking", "s", 999, 1500), heard("words", 1000, 1501, "Hi")];
    const { userSpeech } = conversationOf([
      session,
      ...speech,
      answer("one", 1600, "Hello."),
      speaking("a", "one", 1700),
    ]);
    expect(userSpeech.map(({ turnIndex }) => turnIndex)).toEqual([0]);
  });

  test("the words of one item count once, and those that arrived last", () => {
    const early = heard("z", 1000, 1500, "I want", "item", 1600);
    const late = heard("a", 1000, 1500, "I want to book", "item", 1700);
    expect(turnTexts(session, early, late)).toEqual(["user: I want to book"]);
    expect(turnTexts(session, heard("a", 1000, 1500, null))).toEqual(["user: null"]);
  });

  test("words in the framework's own spans replace those of our helpers at the same time, and words that arrive late are no second turn", () => {
    const own = userTurn("own", 1000, 2000, "Book Tuesday");
    expect(turnTexts(session, own, heard("a", 900, 1900, "book tuesday."))).toEqual(["user: Book Tuesday"]);
    expect(turnTexts(session, own, heard("a", 5000, 5000, "Book Tuesday"))).toEqual(["user: Book Tuesday"]);
    expect(turnTexts(session, own, heard("a", 5000, 6000, "And Friday"))).toEqual([
      "user: Book Tuesday",
      "user: And Friday",
    ]);
  });

  test("a reported interruption counts where the framework's span states none", () => {
    expect(interruption("speech a")).toBe(true);
    expect(interruption("another")).toBe(null);
    expect(interruption("speech a", { "lk.interrupted": false })).toBe(false);
  });
});
