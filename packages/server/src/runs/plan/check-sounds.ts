import { AppError } from "../../base/errors.ts";
import type { ProjectPersona } from "../../authoring/personas/persona.ts";
import type { Speech } from "../../voice/speech/open.ts";
import { type CallerVoice, SpeechFailure } from "../../voice/speech/speech.ts";
import type { LineType } from "../lines/line-type.ts";

const NAMES_MAX = 3;

export type FrozenVoice = Pick<CallerVoice, "provider" | "model" | "voiceId">;

type RunSounds = { voices: Record<string, FrozenVoice>; warnings: string[] };

/**
 * Returns the voices of the personas, and warnings. A warning names traits that a voice cannot express, or says that no recognizer
 * transcribes the agent's words. Returns null for a connection without sound. Throws `unprocessable` for a persona that no voice can play.
 */
export type CheckSounds = (
  projectId: string,
  lineType: LineType,
  personas: readonly ProjectPersona[],
) => Promise<RunSounds | null>;

type Needs = {
  speech: Pick<Speech, "findPersonaSound" | "recognizerOf">;
  organizationOf: (projectId: string) => Promise<string>;
};

export function createCheckSounds({ speech, organizationOf }: Needs): CheckSounds {
  return async (projectId, { carriesSound, transcribesAgent }, personas) => {
    if (!carriesSound) return null;
    const organizationId = await organizationOf(projectId);
    const voices: RunSounds["voices"] = {};
    const warnings: string[] = [];
    const deaf: string[] = [];
    for (const { id, name, current } of new Map(personas.map((persona) => [persona.id, persona])).values()) {
      const sound = await speech.findPersonaSound(organizationId, { id, ...current.content }, id).catch(refuse(name));
      const { provider, model, voiceId } = sound.voice;
      voices[current.id] = { provider, model, voiceId };
      warnings.push(...sound.warnings.map((warning) => `The persona "${name}": ${warning}`));
      if (!transcribesAgent && !speech.recognizerOf(organizationId, sound.hearing)) deaf.push(`"${name}"`);
    }
    if (deaf.length > 0) warnings.push(deafness(deaf));
    return { voices, warnings };
  };
}

const refuse =
  (name: string) =>
  (error: unknown): never => {
    if (!(error instanceof SpeechFailure)) throw error;
    throw new AppError("unprocessable", `The persona "${name}" cannot speak in this call. ${error.message}`);
  };

function deafness(names: readonly string[]): string {
  const more = names.length - NAMES_MAX;
  const named = names.slice(0, NAMES_MAX).join(", ") + (more > 0 ? ` and ${more} more` : "");
  return `Nothing writes down what the agent says to ${named}: behaviors about its words are inconclusive, and a scripted caller says its lines one after another. Set SVC_STT_BASE_URL and SVC_STT_MODEL at the service, or choose a speech recognition model for the persona.`;
}
