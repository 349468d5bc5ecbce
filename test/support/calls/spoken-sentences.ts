import { CALL_RATE, joined } from "../../../packages/server/src/voice/audio/audio.ts";
import { resample } from "../../../packages/server/src/voice/audio/resample.ts";
import { createLog } from "../../../packages/server/src/base/log/log.ts";
import { seeded } from "../../../packages/server/src/base/seeded.ts";
import { openFlite } from "../../../packages/server/src/voice/speech/flite/flite.ts";
import { BUILT_IN_VOICES, type BuiltInVoice } from "../../../packages/server/src/voice/speech/flite/voices.ts";

/** The sentences have no comma, because a pause at a comma would end the speech. */
const SENTENCES = [
  "I would like to book a double room for two nights from Friday",
  "Stop that is enough",
  "The price is eighty nine euros with breakfast for both of you",
  "Wait a moment please",
  "She asked for fresh fish and for a table near the kitchen",
  "How may I help you with your reservation today",
  "Thank you that is all I needed for now",
  "Five of our rooms face the sea and have a balcony with two chairs",
];

/** Synthesises each sentence with the built-in voices, and returns a source of speech that chooses among them by a seed. */
export async function spokenSentences(
  voices: readonly BuiltInVoice[] = BUILT_IN_VOICES,
): Promise<(seed: string) => Int16Array> {
  const flite = openFlite(createLog("silent"));
  const sounds: Int16Array[] = [];
  for (const [at, sentence] of SENTENCES.entries()) {
    const voice = voices[at % voices.length]!;
    const audio = await flite.speak(sentence, voice, 1, new AbortController().signal);
    sounds.push(joined([resample(audio, CALL_RATE).samples]));
  }
  await flite.close();
  return (seed) => sounds[Math.floor(seeded(`sentence ${seed}`)() * sounds.length)]!;
}
