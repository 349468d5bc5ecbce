import { baseLanguage, formOf } from "../provider-request.ts";
import { onlyStreams, readText, type SpeechToText } from "./speech-to-text.ts";

export const cartesia: SpeechToText = {
  problem: (model) => (model.startsWith("ink-2") ? onlyStreams(`cartesia/${model}`, "ink-whisper") : undefined),
  request: ({ wav, model, language }) => ({
    path: "stt",
    body: formOf({ model, language: language && baseLanguage(language) }, wav),
  }),
  read: readText,
};
