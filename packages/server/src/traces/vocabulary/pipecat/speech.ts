import { countOf, milliseconds, textOf } from "../attribute-values.ts";
import { hasFailed } from "../call-facts.ts";
import { modelOf, providerOf } from "../gen-ai/spellings.ts";
import type { OfTurn, Speaking, SpeechCall } from "../vocabulary.ts";
import { speechEndNs } from "./heard-speech.ts";
import type { Round } from "./rounds.ts";

export const userSpeech = ({ heard, user }: Round): OfTurn<Speaking>[] =>
  heard.flatMap((span) => {
    const endNs = speechEndNs(span);
    return endNs === null ? [] : [{ startNs: span.startNs, endNs, spanId: span.spanId, turn: user }];
  });

export const syntheses = ({ synthesised, agent }: Round): OfTurn<SpeechCall>[] =>
  synthesised.map((span) => ({
    kind: "tts",
    model: modelOf(span.attributes),
    provider: providerOf(span.attributes),
    startNs: span.startNs,
    endNs: span.endNs,
    timeToFirstByteMs: milliseconds(span.attributes["metrics.ttfb"], "seconds"),
    characters: countOf([span.attributes["metrics.character_count"], textOf(span.attributes["text"])?.length]) || null,
    audioMs: null,
    isError: hasFailed(span),
    turn: agent,
    spanId: span.spanId,
  }));

export const recognitions = ({ heard, user }: Round): OfTurn<SpeechCall>[] =>
  heard.map((span) => ({
    kind: "stt",
    model: modelOf(span.attributes),
    provider: providerOf(span.attributes),
    startNs: span.startNs,
    endNs: span.endNs,
    timeToFirstByteMs: null,
    characters: null,
    audioMs: milliseconds(span.attributes["metrics.audio_seconds"], "seconds"),
    isError: hasFailed(span),
    turn: user,
    spanId: span.spanId,
  }));
