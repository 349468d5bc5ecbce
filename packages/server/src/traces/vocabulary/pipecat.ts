import { preOrder, spanTree } from "../span-tree.ts";
import type { StoredSpan } from "../stored-span.ts";
import { languageOf } from "./call-facts.ts";
import { chatTools } from "./chat-tools.ts";
import { chatTurns, type ModelRequest } from "./chat-turns.ts";
import { countedKeys } from "./counted-keys.ts";
import { modelCalls, modelRequests, realtimeTools } from "./pipecat/models.ts";
import { type Round, rounds } from "./pipecat/rounds.ts";
import { recognitions, syntheses, userSpeech } from "./pipecat/speech.ts";
import { turnReports } from "./pipecat/turn-reports.ts";
import type { Reading, TurnDraft, Vocabulary } from "./vocabulary.ts";

const OWN_KEYS = /^(turn|conversation|metrics|stt|tts|transcript|tool|function_calls)\./;

const KNOWN_KEYS = new Set(
  `turn.number turn.type turn.duration_seconds turn.was_interrupted turn.ended_by_conversation_end
  turn.user_bot_latency_seconds conversation.id conversation.type metrics.ttfb metrics.character_count
  metrics.audio_seconds stt.incomplete tts.interrupted transcript.is_input tool.function_name tool.call_id
  tool.calls_count tool.all_function_names tool.arguments tool.result tool.result_status function_calls.count
  function_calls.first_name function_calls.all_names`.split(/\s+/),
);

/** Pipecat's own tracing, from 0.0.70 on: a conversation of turns, in each what was recognised, asked and synthesised. */
export const pipecat: Vocabulary = {
  name: "pipecat",

  recognises: ({ scopeName }) => scopeName === "pipecat" || scopeName === "pipecat.turn",

  read(all) {
    const spans = all.filter((span) => pipecat.recognises(span));
    const turnsOf = rounds(preOrder(spanTree(spans)));
    const requests = modelRequests(spans);
    const agentTurnOf = new Map<StoredSpan, TurnDraft | null>();
    for (const { models, agent } of turnsOf) for (const span of models) agentTurnOf.set(span, agent);
    const turnOf = (of: { span: StoredSpan }) => agentTurnOf.get(of.span) ?? null;
    return {
      generation: generationOf(spans),
      modality: turnsOf.some(isSpoken) ? "voice" : null,
      session: sessionOf(spans),
      turns: [...userTurns(turnsOf, requests), ...turnsOf.flatMap(({ agent }) => agent ?? [])],
      toolCalls: [...chatTools([], requests, turnOf), ...turnsOf.flatMap(realtimeTools)],
      userSpeech: turnsOf.flatMap(userSpeech),
      agentSpeech: [], // when the agent's audio ends is on no span
      modelCalls: turnsOf.flatMap(modelCalls),
      speechCalls: [...turnsOf.flatMap(syntheses), ...turnsOf.flatMap(recognitions)],
      turnReports: turnsOf.flatMap(turnReports),
      quality: {
        language: languageOf(spans),
        unitsInferred: [],
        unmappedKeys: countedKeys(spans, (key) => OWN_KEYS.test(key) && !KNOWN_KEYS.has(key)),
      },
    };
  },
};

/** What was recognised; where nothing is, as when the user types, what the models were told. */
function userTurns(turnsOf: readonly Round[], requests: readonly ModelRequest[]): TurnDraft[] {
  const heard = turnsOf.flatMap(({ user }) => user ?? []);
  return heard.length > 0 ? heard : chatTurns(requests).turns.filter(({ role }) => role === "user");
}

const isSpoken = ({ heard, synthesised }: Round): boolean => heard.length + synthesised.length > 0;

/** By what is seen: 1 follows the GenAI conventions 1.37, 0 the ones before. */
function generationOf(spans: readonly StoredSpan[]): string | null {
  if (spans.some(({ attributes }) => "gen_ai.provider.name" in attributes)) return "1";
  return spans.some(({ attributes }) => "gen_ai.system" in attributes) ? "0" : null;
}

/** The call's own span, which arrives last or never. */
function sessionOf(spans: readonly StoredSpan[]): Reading["session"] {
  const session = spans.find(({ name }) => name === "conversation");
  return session === undefined ? null : { startNs: session.startNs, endNs: session.endNs };
}
