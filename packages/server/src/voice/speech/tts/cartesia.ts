import { CALL_RATE } from "../../audio/audio.ts";
import { baseLanguage } from "../provider-request.ts";
import { rawSound, type TextToSpeech } from "./text-to-speech.ts";

export const cartesia: TextToSpeech = {
  charactersMax: 2_000,
  problem: ({ voiceId }) => (voiceId === null ? "Choose a voice of Cartesia for the persona." : undefined),
  request: ({ text, model, voiceId, language, emotion, speed }) => ({
    path: "tts/bytes",
    json: {
      model_id: model,
      transcript: text,
      voice: { id: voiceId },
      output_format: { container: "raw", encoding: "pcm_s16le", sample_rate: CALL_RATE },
      ...(language !== null && { language: baseLanguage(language) }),
      ...((speed !== 1 || emotion !== null) && {
        generation_config: { ...(speed !== 1 && { speed }), ...(emotion !== null && { emotion }) },
      }),
    },
  }),
  read: (body) => rawSound(body, CALL_RATE),
};
