import type { Audio } from "../audio/audio.ts";
import { createRecentCache } from "../recent-cache.ts";
import { createSharedWork } from "../shared-work.ts";
import type { Flite } from "./flite/flite.ts";
import { BUILT_IN, BUILT_IN_SPEED, BUILT_IN_VOICES, isBuiltInVoice } from "./flite/voices.ts";
import { type CallerVoice, SpeechFailure, type Synthesizer } from "./speech.ts";
import { scaled } from "./volume.ts";

/**
 * Half an hour of speech. The cache is in memory only, so that no file keeps the words of a conversation that is deleted.
 */
const CACHE_BYTES = 64 * 1024 * 1024;

export type Synthesizers = {
  /** Returns the function that speaks with an organization's provider keys. */
  synthesizerOf: (organizationId: string) => Synthesizer;
  /** Cancels all speech in the making. */
  close: () => void;
};

/** Creates the synthesizers of all organizations. Requests for the same speech share one synthesis and one cache. */
export function createSynthesizers({ flite }: { flite: Flite }): Synthesizers {
  const cache = createRecentCache<Audio>(CACHE_BYTES, ({ samples }) => samples.byteLength);
  const works = createSharedWork<Audio>();

  async function speak(text: string, voice: CallerVoice, signal: AbortSignal): Promise<Audio> {
    const { provider, voiceId, speed } = voice;
    if (provider !== BUILT_IN.provider)
      throw new SpeechFailure(
        "refused",
        `The service cannot speak with ${provider}. Choose a voice of ${BUILT_IN.provider}.`,
      );
    const id = voiceId ?? BUILT_IN_VOICES[0];
    if (!isBuiltInVoice(id))
      throw new SpeechFailure(
        "refused",
        `There is no built-in voice "${id}". Choose one of ${BUILT_IN_VOICES.join(", ")}.`,
      );
    const { minimum, maximum } = BUILT_IN_SPEED;
    return flite.speak(text, id, Math.min(maximum, Math.max(minimum, speed)), signal);
  }

  return {
    synthesizerOf: (organizationId) => async (text, voice, signal) => {
      const { volume, ...sound } = voice;
      const owner = voice.provider === BUILT_IN.provider ? null : organizationId;
      const key = JSON.stringify([owner, text, sound]);
      const known = cache.get(key);
      const audio = known ?? (await works.join(key, (stop) => speak(text, voice, stop), signal));
      if (!known) cache.set(key, audio);
      return scaled(audio, volume);
    },
    close: () => works.cancelAll(),
  };
}
