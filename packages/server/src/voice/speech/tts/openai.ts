import { readWav } from "../../audio/wav.ts";
import type { SpeechOrder, TextToSpeech } from "./text-to-speech.ts";

const DEFAULT_VOICE = "alloy";

/** The sound is requested as WAV, because its header contains the sample rate, which differs between servers. */
export const openai: TextToSpeech = {
  charactersMax: 4_000,
  usualVoice: () => DEFAULT_VOICE,
  request: ({ text, model, voiceId, speed, ...manner }) => ({
    path: "audio/speech",
    json: {
      model,
      input: text,
      voice: voiceId ?? DEFAULT_VOICE,
      response_format: "wav",
      ...(speed !== 1 && { speed }),
      ...instructionsOf(manner),
    },
  }),
  read(body) {
    const { rate, channels } = readWav(body);
    return { samples: channels[0]!, rate };
  },
};

function instructionsOf({ accent, emotion }: Pick<SpeechOrder, "accent" | "emotion">): { instructions?: string } {
  const sentences: string[] = [];
  if (accent !== null) sentences.push(`Speak with this accent: ${accent}.`);
  if (emotion !== null) sentences.push(`Speak in this emotion: ${emotion}.`);
  return sentences.length === 0 ? {} : { instructions: sentences.join(" ") };
}
