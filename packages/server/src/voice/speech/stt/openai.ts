import { baseLanguage, formOf } from "../provider-request.ts";
import { onlyStreams, readText, type SpeechToText } from "./speech-to-text.ts";

/** Requests of transcripts from OpenAI, and from servers with the same API. */
export const openai: SpeechToText = {
  problem: (model) => (/realtime|live/.test(model) ? onlyStreams(`openai/${model}`, "gpt-4o-transcribe") : undefined),
  request: ({ wav, model, language }) => ({
    path: "audio/transcriptions",
    body: formOf({ model, response_format: "json", language: language && baseLanguage(language) }, wav),
  }),
  read: readText,
};
