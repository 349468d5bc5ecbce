import { preOrder, spanTree } from "../conversation/span-tree.ts";
import type { StoredSpan } from "../stored-span.ts";
import { countOf, milliseconds, textOf } from "./attribute-values.ts";
import { chatTools } from "./chat-tools.ts";
import { chatTurns, type ModelRequest } from "./chat-turns.ts";
import { countKeys } from "./count-keys.ts";
import { EMPTY_TURN_REPORT } from "./empty-turn-report.ts";
import { modelOf, providerOf } from "./gen-ai/spellings.ts";
import { modelCalls, modelRequests, realtimeTools } from "./pipecat/models.ts";
import { speechEndNs, transcriptionDelayMs } from "./pipecat/recognition-times.ts";
import { type Round, roundsOf } from "./pipecat/rounds.ts";
import { playedPart } from "./played-part.ts";
import { sessionOf } from "./sessions.ts";
import { errorOf, hasFailed, languageOf } from "./span-facts.ts";
import { withFailedCalls } from "./unspoken-turns.ts";
import type { DraftOf, SpeechCall, SpeechPeriod, TurnDraft, TurnReport, Vocabulary } from "./vocabulary.ts";

const OWN_KEYS = /^(turn|conversation|metrics|stt|tts|transcript|tool|function_calls)\./;

const KNOWN_KEYS = new Set(
  `turn.number turn.type turn.duration_seconds turn.was_interrupted turn.ended_by_conversation_end
  turn.user_bot_latency_seconds conversation.id conversation.type metrics.ttfb metrics.character_count
  metrics.audio_seconds stt.incomplete tts.interrupted transcript.is_input tool.function_name tool.call_id
  tool.calls_count tool.all_function_names tool.arguments tool.result tool.result_status function_calls.count
  function_calls.first_name function_calls.all_names`.split(/\s+/),
);

/**
 * Maps Pipecat's own tracing, since version 0.0.70. A conversation span has turn spans, and each turn span has spans of recognition,
 * model and synthesis.
 */
export const pipecat: Vocabulary = {
  name: "pipecat",

  recognises: ({ scopeName }) => scopeName === "pipecat" || scopeName === "pipecat.turn",

  read(all) {
    const spans = all.filter((span) => pipecat.recognises(span));
    const rounds = roundsOf(preOrder(spanTree(spans)));
    const requests = modelRequests(spans);
    const agentTurnOf = new Map<StoredSpan, TurnDraft | null>();
    for (const { models, agent } of rounds) for (const span of models) agentTurnOf.set(span, agent);
    const turnOf = (request: { span: StoredSpan }) => agentTurnOf.get(request.span) ?? null;
    addHeardTexts(rounds, requests);
    const calls = rounds.flatMap(modelCalls);
    return {
      generation: generationOf(spans),
      modality: rounds.some(isSpoken) ? "voice" : null,
      session: sessionOf(spans.find(({ name }) => name === "conversation")),
      turns: [...userTurns(rounds, requests), ...rounds.flatMap(({ agent }) => agent ?? [])],
      unspokenTurns: withFailedCalls([], calls),
      toolCalls: [...chatTools([], requests, turnOf), ...rounds.flatMap(realtimeTools)],
      userSpeech: rounds.flatMap(userSpeech),
      agentSpeech: [], // no span has the time at which the agent's audio ends
      thirdPartySpeech: [],
      modelCalls: calls,
      speechCalls: [...rounds.flatMap(synthesisCalls), ...rounds.flatMap(recognitionCalls)],
      turnReports: rounds.flatMap(turnReports),
      quality: {
        language: languageOf(spans),
        unitsInferred: [],
        unmappedKeys: countKeys(spans, (key) => OWN_KEYS.test(key) && !KNOWN_KEYS.has(key)),
      },
    };
  },
};

/**
 * Sets the heard part of each interrupted turn. The chat of the next request contains only the played words, if the synthesis reports the
 * times of words.
 */
function addHeardTexts(rounds: readonly Round[], requests: readonly ModelRequest[]): void {
  const requestOf = new Map(requests.map((request) => [request.span, request]));
  rounds.forEach(({ agent }, index) => {
    if (agent?.interrupted !== true) return;
    const next = rounds
      .slice(index + 1, index + 4)
      .flatMap(({ models }) => models.flatMap((span) => requestOf.get(span) ?? []));
    const said = next[0]?.chat.findLast(({ role, text }) => role === "agent" && text !== null);
    agent.heardText = playedPart(agent.text, said?.text ?? null);
  });
}

/**
 * When speech recognition gives no user turns, for example because the user types, returns the user turns in the
 * models' chats.
 */
function userTurns(rounds: readonly Round[], requests: readonly ModelRequest[]): TurnDraft[] {
  const recognised = rounds.flatMap(({ user }) => user ?? []);
  return recognised.length > 0 ? recognised : chatTurns(requests).turns.filter(({ role }) => role === "user");
}

const isSpoken = ({ recognitions, syntheses }: Round): boolean => recognitions.length + syntheses.length > 0;

/** Returns the generation of the keys: 1 for GenAI conventions 1.37, 0 for earlier conventions; null when no key shows the generation. */
function generationOf(spans: readonly StoredSpan[]): string | null {
  if (spans.some(({ attributes }) => "gen_ai.provider.name" in attributes)) return "1";
  return spans.some(({ attributes }) => "gen_ai.system" in attributes) ? "0" : null;
}

const userSpeech = ({ recognitions, user }: Round): DraftOf<SpeechPeriod>[] =>
  recognitions.flatMap((span) => {
    const endNs = speechEndNs(span);
    return endNs === null ? [] : [{ startNs: span.startNs, endNs, spanId: span.spanId, turn: user }];
  });

const synthesisCalls = ({ syntheses, agent }: Round): DraftOf<SpeechCall>[] =>
  syntheses.map((span) => ({
    kind: "tts",
    model: modelOf(span.attributes),
    provider: providerOf(span.attributes),
    startNs: span.startNs,
    endNs: span.endNs,
    timeToFirstByteMs: milliseconds(span.attributes["metrics.ttfb"], "seconds"),
    characters: countOf([span.attributes["metrics.character_count"], textOf(span.attributes["text"])?.length]) || null,
    audioMs: null,
    isError: hasFailed(span),
    error: errorOf(span),
    turn: agent,
    spanId: span.spanId,
  }));

const recognitionCalls = ({ recognitions, user }: Round): DraftOf<SpeechCall>[] =>
  recognitions.map((span) => ({
    kind: "stt",
    model: modelOf(span.attributes),
    provider: providerOf(span.attributes),
    startNs: span.startNs,
    endNs: span.endNs,
    timeToFirstByteMs: null,
    characters: null,
    audioMs: milliseconds(span.attributes["metrics.audio_seconds"], "seconds"),
    isError: hasFailed(span),
    error: errorOf(span),
    turn: user,
    spanId: span.spanId,
  }));

function turnReports({ span, recognitions, user, agent }: Round): DraftOf<TurnReport>[] {
  const reports: DraftOf<TurnReport>[] = [];
  const last = recognitions.at(-1);
  const delayMs = last === undefined ? null : transcriptionDelayMs(last);
  if (user !== null && delayMs !== null)
    reports.push({ ...EMPTY_TURN_REPORT, turn: user, transcriptionDelayMs: delayMs });
  const latencyMs = milliseconds(span?.attributes["turn.user_bot_latency_seconds"], "seconds");
  const interruptedBy = agent?.interrupted === true ? "user" : null;
  if (agent !== null && (latencyMs !== null || interruptedBy !== null)) {
    reports.push({ ...EMPTY_TURN_REPORT, turn: agent, responseLatencyMs: latencyMs, interruptedBy });
  }
  return reports;
}
