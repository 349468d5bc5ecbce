import { z } from "zod";
import { onlyStreams, type SpeechToText } from "./speech-to-text.ts";

const Answer = z.object({
  results: z.object({ channels: z.array(z.object({ alternatives: z.array(z.object({ transcript: z.string() })) })) }),
});

/** Without a language, the request asks for language detection, because Deepgram would otherwise assume English. */
export const deepgram: SpeechToText = {
  problem: (model) => (model.startsWith("flux") ? onlyStreams(`deepgram/${model}`, "nova-3") : undefined),
  request: ({ wav, model, language }) => ({
    path: "v1/listen",
    query: { model, punctuate: "true", ...(language === null ? { detect_language: "true" } : { language }) },
    body: { type: "audio/wav", bytes: wav },
  }),
  read: (body) => Answer.parse(body).results.channels[0]?.alternatives[0]?.transcript ?? "",
};
