import { describe, expect, test } from "vitest";
import { conversationOf } from "../../packages/server/src/traces/conversation/conversation.ts";
import type { StoredSpan } from "../../packages/server/src/traces/stored-span.ts";
import { agentSays, genAiSpan, type Attributes, type SpanOptions } from "../support/gen-ai-spans.ts";
import { EPOCH_NS } from "../support/stored-span.ts";

describe("a live session", () => {
  const live = (id: string, startMs: number, words: string, attributes: Attributes = {}, options: SpanOptions = {}) =>
    genAiSpan(
      id,
      startMs,
      "realtime_inference",
      {
        "gen_ai.request.model": "gpt-realtime",
        "gen_ai.usage.input_tokens": 120,
        "gen_ai.output.messages": JSON.stringify([agentSays(words)]),
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
    const invocation = genAiSpan("agent", 0, "invoke_agent", END, { endMs: 1_000 });
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
    genAiSpan(id, startMs, "user_speech", attributes, { endMs });
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

  test("a live session without messages has the user's turns by their speech alone, even one that nobody answers", () => {
    const silent = (id: string, startMs: number) => genAiSpan(id, startMs, "realtime_inference");
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
