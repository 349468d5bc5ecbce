import type { PersonaModels, PersonaTraits } from "@svc/contract";
import type { z } from "zod";
import type { NumberCapability, PersonaCapabilities } from "@svc/contract";
import { BUILT_IN, builtInVoiceOf } from "./flite/voices.ts";
import { SPEECH_PROVIDERS, type SpeechProvider, speechProviderOf } from "./providers.ts";
import { hearingProblem, type HearingModel } from "./recognizer.ts";
import type { CallerVoice } from "./speech.ts";
import { interruptionsOf, patienceMsOf, type PersonaSurroundings, surroundingsOf } from "./turn-taking.ts";

export type SpeakingPersona = {
  id: string;
  traits: z.output<typeof PersonaTraits>;
  models: z.output<typeof PersonaModels>;
};

export type PersonaSound = {
  voice: CallerVoice;
  surroundings: PersonaSurroundings | null;
  patienceMs: number;
  interruptAfterMs: (number | null)[];
  /** Undefined when the persona has no speech recognition model, or when the service cannot use the model. */
  hearing: HearingModel | undefined;
  /** Settings of the persona that cannot be applied; each entry is a sentence. */
  warnings: string[];
};

const PACE = { slow: 0.8, normal: 1, fast: 1.25 } as const;

export const synthesisModelOf = ({ models }: SpeakingPersona) => models.tts ?? BUILT_IN;

export function soundOf(persona: SpeakingPersona, allowed: PersonaCapabilities, seed: string): PersonaSound {
  const { traits, models } = persona;
  const { provider, model } = synthesisModelOf(persona);
  const warnings: string[] = [];
  const fitting = (capability: NumberCapability, wanted: number, name: string): number => {
    const value = nearest(capability, wanted);
    if (value !== wanted)
      warnings.push(`The voice's ${name} is ${value} instead of ${wanted}: ${boundsOf(capability)}`);
    return value;
  };
  const expressed = (member: "accent" | "emotion", wanted: string | undefined, usual: string): string | null => {
    if (wanted === undefined || wanted === usual) return null;
    const { status, choices, reason } = allowed[member];
    if (status === "unknown" || choices?.includes(wanted)) return wanted;
    warnings.push(`The voice does not have the ${member} "${wanted}": ${reason ?? "the model has no such choice."}`);
    return null;
  };

  const voice: CallerVoice = {
    provider,
    model,
    voiceId: models.voiceId ?? usualVoice(persona, allowed),
    language: traits.language ?? null,
    accent: expressed("accent", traits.accent, "voice_default"),
    emotion: expressed("emotion", traits.emotion, "neutral"),
    speed: fitting(allowed.speed, models.speed ?? PACE[traits.pace ?? "normal"], "speed"),
    volume: fitting(allowed.speechVolume, models.volume ?? 1, "volume"),
  };
  const deafness = models.stt && hearingProblem(models.stt);
  if (deafness !== undefined) warnings.push(deafness);
  return {
    voice,
    surroundings: surroundingsOf(traits),
    patienceMs: patienceMsOf(traits),
    interruptAfterMs: interruptionsOf(traits, seed),
    hearing: deafness === undefined ? models.stt : undefined,
    warnings,
  };
}

function usualVoice(persona: SpeakingPersona, { voices }: PersonaCapabilities): string | null {
  if (persona.models.tts === undefined || persona.models.tts.provider === BUILT_IN.provider)
    return builtInVoiceOf(persona.id);
  const base = persona.traits.language && new Intl.Locale(persona.traits.language).language;
  const speaks = ({ languages }: { languages: string[] }) =>
    base === undefined || languages.length === 0 || languages.some((tag) => new Intl.Locale(tag).language === base);
  return voices.value?.id ?? voices.choices?.find(speaks)?.id ?? providersVoice(persona.models.tts) ?? null;
}

function providersVoice({ provider, model }: { provider: string; model: string }): string | undefined {
  const id = speechProviderOf(provider);
  return id && (SPEECH_PROVIDERS[id] as SpeechProvider).tts.usualVoice?.(model.trim());
}

function nearest({ status, range, value }: NumberCapability, wanted: number): number {
  if (status === "unknown") return wanted;
  if (!range) return value ?? 1;
  return Math.min(range.maximum, Math.max(range.minimum, wanted));
}

const boundsOf = ({ range, reason }: NumberCapability): string =>
  range ? `it can be from ${range.minimum} to ${range.maximum}.` : (reason ?? "the model has no such setting.");
