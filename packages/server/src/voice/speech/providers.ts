import { BUILT_IN } from "./flite/voices.ts";
import { cartesia as hearCartesia } from "./stt/cartesia.ts";
import { deepgram as hearDeepgram } from "./stt/deepgram.ts";
import { elevenlabs as hearElevenlabs } from "./stt/elevenlabs.ts";
import { openai as hearOpenai } from "./stt/openai.ts";
import type { SpeechToText } from "./stt/speech-to-text.ts";
import { cartesia as speakCartesia } from "./tts/cartesia.ts";
import { deepgram as speakDeepgram } from "./tts/deepgram.ts";
import { elevenlabs as speakElevenlabs } from "./tts/elevenlabs.ts";
import { openai as speakOpenai } from "./tts/openai.ts";
import type { TextToSpeech } from "./tts/text-to-speech.ts";

export type SpeechProvider = {
  name: string;
  /** Address with a trailing slash. Requests are sent to no other host. */
  address: string;
  headers: (apiKey: string) => Record<string, string>;
  tts: TextToSpeech;
  stt: SpeechToText;
};

const bearer = (apiKey: string) => ({ authorization: `Bearer ${apiKey}` });

export const SPEECH_PROVIDERS = {
  openai: {
    name: "OpenAI",
    address: "https://api.openai.com/v1/",
    headers: bearer,
    tts: speakOpenai,
    stt: hearOpenai,
  },
  elevenlabs: {
    name: "ElevenLabs",
    address: "https://api.elevenlabs.io/",
    headers: (apiKey) => ({ "xi-api-key": apiKey }),
    tts: speakElevenlabs,
    stt: hearElevenlabs,
  },
  deepgram: {
    name: "Deepgram",
    address: "https://api.deepgram.com/",
    headers: (apiKey) => ({ authorization: `Token ${apiKey}` }),
    tts: speakDeepgram,
    stt: hearDeepgram,
  },
  cartesia: {
    name: "Cartesia",
    address: "https://api.cartesia.ai/",
    headers: (apiKey) => ({ ...bearer(apiKey), "cartesia-version": "2026-08-14" }),
    tts: speakCartesia,
    stt: hearCartesia,
  },
} as const satisfies Record<string, SpeechProvider>;

export type SpeechProviderId = keyof typeof SPEECH_PROVIDERS;

export const speechProviderOf = (name: string): SpeechProviderId | undefined => {
  const id = name.trim().toLowerCase();
  return Object.hasOwn(SPEECH_PROVIDERS, id) ? (id as SpeechProviderId) : undefined;
};

export const noProvider = (name: string): string =>
  `The service cannot speak with ${name}. Choose a model of ${[BUILT_IN.provider, ...Object.keys(SPEECH_PROVIDERS)].join(", ")} for the persona.`;
