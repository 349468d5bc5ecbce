import { baseLanguage, formOf } from "../provider-request.ts";
import { onlyStreams, readText, type SpeechToText } from "./speech-to-text.ts";

/** Requests of transcripts from ElevenLabs. They turn off tags such as `(laughter)`, because a tag is not a word. */
export const elevenlabs: SpeechToText = {
  problem: (model) => (/realtime/.test(model) ? onlyStreams(`elevenlabs/${model}`, "scribe_v2") : undefined),
  request: ({ wav, model, language }) => ({
    path: "v1/speech-to-text",
    body: formOf(
      {
        model_id: model,
        language_code: language && baseLanguage(language),
        tag_audio_events: "false",
        timestamps_granularity: "none",
      },
      wav,
    ),
  }),
  read: readText,
};
