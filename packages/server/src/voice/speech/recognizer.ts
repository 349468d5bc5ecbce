import { durationMs } from "../audio/audio.ts";
import { wavOf } from "../audio/wav-writing.ts";
import type { FindSpeechAccess } from "./access.ts";
import { askProvider, type SpeechBounds } from "./ask-provider.ts";
import { SPEECH_PROVIDERS, type SpeechProvider, speechProviderOf } from "./providers.ts";
import { type Recognizer, SpeechFailure } from "./speech.ts";

/** The longest piece of sound to transcribe: one turn of an agent. */
const DURATION_MS_MAX = 10 * 60_000;
const ANSWER_BYTES_MAX = 8 * 1024 * 1024;

export type HearingModel = { provider: string; model: string };

export function hearingProblem({ provider, model }: HearingModel): string | undefined {
  const id = speechProviderOf(provider);
  if (id !== undefined) return (SPEECH_PROVIDERS[id] as SpeechProvider).stt.problem?.(model);
  return `The service cannot hear with ${provider}. Choose a model of ${Object.keys(SPEECH_PROVIDERS).join(", ")} for the persona.`;
}

export function createRecognizer(
  { findAccess, bounds }: { findAccess: FindSpeechAccess; bounds: SpeechBounds },
  organizationId: string,
  hearing: HearingModel,
): Recognizer {
  return async (audio, language, signal) => {
    const problem = hearingProblem(hearing);
    if (problem !== undefined) throw new SpeechFailure("refused", problem);
    if (durationMs(audio) > DURATION_MS_MAX)
      throw new SpeechFailure("unspeakable", "The service writes down at most ten minutes of speech at once.");
    const id = speechProviderOf(hearing.provider)!;
    const { name, stt } = SPEECH_PROVIDERS[id];
    const access = await findAccess(organizationId, id, "stt");
    const request = stt.request({ wav: wavOf(audio), model: hearing.model.trim(), language });
    const limits = { ...bounds, maxBytes: Math.min(bounds.maxBytes, ANSWER_BYTES_MAX) };
    const body = await askProvider({ name, access, request, bounds: limits }, signal);
    try {
      return stt.read(JSON.parse(body.toString("utf8"))).trim();
    } catch {
      throw new SpeechFailure("unavailable", `${name} sent no transcript in its usual form. Try again later.`);
    }
  };
}
