import { setImmediate as nextTurn } from "node:timers/promises";
import { createRecentCache } from "../../base/async/recent-cache.ts";
import { createSharedWork } from "../../base/async/shared-work.ts";
import { type Audio, CALL_RATE, joined } from "../audio/audio.ts";
import { scaled } from "../audio/mix.ts";
import { createResampler } from "../audio/resample.ts";
import type { FindSpeechAccess } from "./access.ts";
import { askProvider, type SpeechBounds } from "./ask-provider.ts";
import type { Flite } from "./flite/flite.ts";
import { BUILT_IN, BUILT_IN_SPEED, BUILT_IN_VOICES, isBuiltInVoice } from "./flite/voices.ts";
import {
  noProvider,
  SPEECH_PROVIDERS,
  type SpeechProvider,
  type SpeechProviderId,
  speechProviderOf,
} from "./providers.ts";
import { type CallerVoice, SpeechFailure, type Synthesizer } from "./speech.ts";
import { textParts } from "./text-parts.ts";

/**
 * Size of the cache of synthesized speech: about half an hour. The cache is only in memory, so that no file contains the words of a deleted
 * conversation.
 */
const CACHE_BYTES = 64 * 1024 * 1024;
/** The longest text of one turn: more than four minutes of speech. */
const CHARACTERS_MAX = 5_000;

type Synthesizers = {
  synthesizerOf: (organizationId: string) => Synthesizer;
  close: () => void;
};

type Needs = { flite: Pick<Flite, "speak">; findAccess: FindSpeechAccess; bounds: SpeechBounds };

/** Creates the synthesizers of all providers. Requests for the same speech share one synthesis and one cache entry. */
export function createSynthesizers({ flite, findAccess, bounds }: Needs): Synthesizers {
  const cache = createRecentCache<Audio>(CACHE_BYTES, ({ samples }) => samples.byteLength);
  const works = createSharedWork<Audio>();

  function speakBuiltIn(text: string, { voiceId, speed }: CallerVoice, signal: AbortSignal): Promise<Audio> {
    const id = voiceId ?? BUILT_IN_VOICES[0];
    if (!isBuiltInVoice(id)) {
      const message = `There is no built-in voice "${id}". Choose one of ${BUILT_IN_VOICES.join(", ")}.`;
      throw new SpeechFailure("refused", message);
    }
    const { minimum, maximum } = BUILT_IN_SPEED;
    return flite.speak(text, id, Math.min(maximum, Math.max(minimum, speed)), signal);
  }

  async function speakWith(
    id: SpeechProviderId,
    organizationId: string,
    text: string,
    voice: CallerVoice,
    signal: AbortSignal,
  ): Promise<Audio> {
    const { name, tts }: SpeechProvider = SPEECH_PROVIDERS[id];
    const problem = tts.problem?.(voice);
    if (problem !== undefined) throw new SpeechFailure("refused", problem);
    const access = await findAccess(organizationId, id, "tts");
    const parts: Int16Array[] = [];
    for (const part of textParts(text, tts.charactersMax)) {
      const request = tts.request({ ...voice, text: part });
      const body = await askProvider({ name, access, request, bounds }, signal);
      parts.push((await atCallRate(readSound(name, tts.read, body))).samples);
    }
    return { samples: joined(parts), rate: CALL_RATE };
  }

  return {
    synthesizerOf: (organizationId) => async (text, voice, signal) => {
      const { volume, ...sound } = voice;
      const isBuiltIn = voice.provider === BUILT_IN.provider;
      const provider = speechProviderOf(voice.provider);
      checkText(text);
      if (!isBuiltIn && provider === undefined) throw new SpeechFailure("refused", noProvider(voice.provider));
      const key = JSON.stringify([isBuiltIn ? null : organizationId, text, sound]);
      const inCache = cache.get(key);
      const run = async (stop: AbortSignal) =>
        isBuiltIn ? speakBuiltIn(text, voice, stop) : speakWith(provider!, organizationId, text, voice, stop);
      const audio = inCache ?? (await works.join(key, run, signal));
      if (!inCache) cache.set(key, audio);
      return { samples: scaled(audio.samples, volume), rate: audio.rate };
    },
    close: () => works.cancelAll(),
  };
}

function checkText(text: string): void {
  if (text.length > CHARACTERS_MAX) {
    const message = `A turn has ${text.length} characters, and a voice speaks at most ${CHARACTERS_MAX}. Shorten the turn.`;
    throw new SpeechFailure("unspeakable", message);
  }
  if (!/[\p{L}\p{N}]/u.test(text))
    throw new SpeechFailure("wordless", "The text contains no word to speak. Write at least one word.");
}

function readSound(name: string, read: (body: Buffer) => Audio, body: Buffer): Audio {
  try {
    const audio = read(body);
    if (audio.samples.length > 0) return audio;
  } catch {
    // An answer that cannot be read causes the error below.
  }
  throw new SpeechFailure("unavailable", `${name} sent no sound in the requested form. Try again later.`);
}

/** Converts a sound to the sample rate of calls in slices of a second, so that other work can run between slices. */
async function atCallRate({ samples, rate }: Audio): Promise<Audio> {
  if (rate === CALL_RATE) return { samples, rate };
  const resampler = createResampler(rate, CALL_RATE);
  const slices: Int16Array[] = [];
  for (let at = 0; at < samples.length; at += rate) {
    slices.push(resampler.push(samples.subarray(at, at + rate)));
    await nextTurn();
  }
  return { samples: joined(slices), rate: CALL_RATE };
}
