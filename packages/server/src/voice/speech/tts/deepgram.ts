import { CALL_RATE } from "../../audio/audio.ts";
import { rawSound, type TextToSpeech } from "./text-to-speech.ts";

const DEFAULT_VOICES: Record<string, string> = { "aura-2": "aura-2-thalia-en", aura: "aura-asteria-en" };

/** The name of a voice contains its model, and a persona may use either name. */
export const deepgram: TextToSpeech = {
  charactersMax: 1_900,
  usualVoice: (model) => voiceOf(model, null),
  problem({ model, voiceId }) {
    if (model.startsWith("flux"))
      return "The service cannot speak with deepgram/flux, which only streams. Choose the model aura-2 for the persona.";
    return voiceOf(model, voiceId) === undefined ? "Choose a voice of Deepgram for the persona." : undefined;
  },
  request: ({ text, model, voiceId, speed }) => ({
    path: "v1/speak",
    query: {
      model: voiceOf(model, voiceId)!,
      encoding: "linear16",
      container: "none",
      sample_rate: String(CALL_RATE),
      ...(speed !== 1 && { speed: String(speed) }),
    },
    json: { text },
  }),
  read: (body) => rawSound(body, CALL_RATE),
};

function voiceOf(model: string, voiceId: string | null): string | undefined {
  if (voiceId !== null) return voiceId;
  return /^aura(-2)?-[a-z]+-[a-z]{2}$/.test(model) ? model : DEFAULT_VOICES[model];
}
