import type { Capabilities } from "../capabilities/look-up.ts";
import type { FindSpeechAccess } from "./access.ts";
import { BUILT_IN } from "./flite/voices.ts";
import { type PersonaSound, soundOf, type SpeakingPersona, synthesisModelOf } from "./persona-sound.ts";
import { noProvider, SPEECH_PROVIDERS, type SpeechProvider, speechProviderOf } from "./providers.ts";
import { SpeechFailure } from "./speech.ts";

/**
 * Finds a voice for a persona. The same seed gives the same result. Rejects with a `SpeechFailure` when the persona's model has no voice
 * for the persona, or when a key is missing.
 */
export type FindPersonaSound = (
  organizationId: string,
  persona: SpeakingPersona,
  seed: string,
) => Promise<PersonaSound>;

export function createFindPersonaSound(
  capabilities: Pick<Capabilities, "lookUp">,
  findAccess: FindSpeechAccess,
): FindPersonaSound {
  return async (organizationId, persona, seed) => {
    const tts = synthesisModelOf(persona);
    const { language } = persona.traits;
    const { voiceId } = persona.models;
    const selection = { tts, ...(language !== undefined && { language }), ...(voiceId !== undefined && { voiceId }) };
    const allowed = await capabilities.lookUp(organizationId, selection, { refresh: false });
    if (!isSpoken(allowed.language, language)) throw unspokenLanguage(tts.provider, language!, allowed.language.reason);
    const sound = soundOf(persona, allowed, seed);
    await requireVoice(organizationId, sound);
    return withUsableHearing(organizationId, sound);
  };

  /** Turns speech recognition off when it cannot be used. The persona can still speak. */
  async function withUsableHearing(organizationId: string, sound: PersonaSound): Promise<PersonaSound> {
    if (sound.hearing === undefined) return sound;
    try {
      await findAccess(organizationId, speechProviderOf(sound.hearing.provider)!, "stt");
      return sound;
    } catch (error) {
      if (!(error instanceof SpeechFailure)) throw error;
      return { ...sound, hearing: undefined, warnings: [...sound.warnings, error.message] };
    }
  }

  async function requireVoice(organizationId: string, { voice }: PersonaSound): Promise<void> {
    if (voice.provider === BUILT_IN.provider) return;
    const id = speechProviderOf(voice.provider);
    if (id === undefined) throw new SpeechFailure("refused", noProvider(voice.provider));
    const problem = (SPEECH_PROVIDERS[id] as SpeechProvider).tts.problem?.(voice);
    if (problem !== undefined) throw new SpeechFailure("refused", problem);
    await findAccess(organizationId, id, "tts");
  }
}

type LanguageCapability = Awaited<ReturnType<Capabilities["lookUp"]>>["language"];

function isSpoken({ status, value, choices }: LanguageCapability, language: string | undefined): boolean {
  if (language === undefined || status === "unknown") return true;
  const base = (tag: string) => new Intl.Locale(tag).language;
  const spoken = [...(choices ?? []), ...(value === undefined ? [] : [value])];
  return spoken.some((tag) => base(tag) === base(language));
}

function unspokenLanguage(provider: string, language: string, reason: string | undefined): SpeechFailure {
  if (provider === BUILT_IN.provider)
    return new SpeechFailure(
      "refused",
      `The built-in voices speak only English, and the persona speaks ${language}. Choose a speech synthesis model of a provider for the persona, or another language.`,
    );
  const why = reason === undefined ? "" : ` ${reason}`;
  return new SpeechFailure(
    "refused",
    `The persona's voice does not speak ${language}.${why} Choose another model or voice.`,
  );
}
