import { CALL_RATE } from "../../audio/audio.ts";
import { baseLanguage } from "../provider-request.ts";
import { rawSound, type TextToSpeech } from "./text-to-speech.ts";

/** Matches the models that accept `language_code`. The other models detect the language of the text. */
const TAKES_LANGUAGE = /^eleven_(v3|flash_v2_5|turbo_v2_5)/;
/** Models that read the emotion from a tag in the text. */
const TAKES_TAGS = /^eleven_v3/;

export const elevenlabs: TextToSpeech = {
  charactersMax: 4_500,
  problem: ({ voiceId }) => (voiceId === null ? "Choose a voice of ElevenLabs for the persona." : undefined),
  request: ({ text, model, voiceId, language, emotion, speed }) => ({
    path: `v1/text-to-speech/${encodeURIComponent(voiceId!)}`,
    query: { output_format: `pcm_${CALL_RATE}` },
    json: {
      text: emotion !== null && TAKES_TAGS.test(model) ? `[${emotion}] ${text}` : text,
      model_id: model,
      ...(language !== null && TAKES_LANGUAGE.test(model) && { language_code: baseLanguage(language) }),
      ...(speed !== 1 && { voice_settings: { speed } }),
    },
  }),
  read: (body) => rawSound(body, CALL_RATE),
};
