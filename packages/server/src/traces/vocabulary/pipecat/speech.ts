import { countOf, milliseconds, textOf } from "../attribute-values.ts";
import { errorOf, hasFailed } from "../span-facts.ts";
import { modelOf, providerOf } from "../gen-ai/spellings.ts";
import type { DraftOf, SpeechPeriod, SpeechCall } from "../vocabulary.ts";
import { speechEndNs } from "./recognition-times.ts";
import type { Round } from "./rounds.ts";

export const userSpeech = ({ recognitions, user }: Round): DraftOf<SpeechPeriod>[] =>
  recognitions.flatMap((span) => {
    const endNs = speechEndNs(span);
    return endNs === null ? [] : [{ startNs: span.startNs, endNs, spanId: span.spanId, turn: user }];
  });

export const synthesisCalls = ({ syntheses, agent }: Round): DraftOf<SpeechCall>[] =>
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

export const recognitionCalls = ({ recognitions, user }: Round): DraftOf<SpeechCall>[] =>
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
