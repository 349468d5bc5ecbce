import { z } from "zod";
import { maybe, maybeText, maybeTexts, rowReader, toListedVoice } from "../read-voice.ts";
import type { VoiceSource } from "../voice-source.ts";

const Page = z.object({ voices: maybe(z.array(z.unknown())) });
const Voice = z.object({ name: z.string(), languageCodes: maybeTexts, ssmlGender: maybeText });

/** Models by the family that a voice's name contains, for example Wavenet in `en-US-Wavenet-A`. */
const FAMILIES: Record<string, string> = {
  Chirp3: "chirp_3",
  Neural2: "neural2",
  Wavenet: "wavenet",
  Standard: "standard",
  Studio: "studio",
};

/** The models of voices whose name contains no language, for example `Kore`. */
const GEMINI = [
  "gemini-2.5-flash-tts",
  "gemini-2.5-pro-tts",
  "gemini-2.5-flash-lite-preview-tts",
  "gemini-3.1-flash-tts-preview",
];

/** Lists the voices of Google. One page contains all voices. */
export const google: VoiceSource = {
  address: () => "https://texttospeech.googleapis.com/",
  headers: ({ apiKey }) => ({ "x-goog-api-key": apiKey }),
  request: () => ({ path: "v1/voices" }),
  readPage: (body) => ({ rows: Page.parse(body).voices ?? [] }),
  readVoice: rowReader(Voice, ({ name, languageCodes, ssmlGender }) =>
    toListedVoice({
      id: name,
      name,
      isStandard: true,
      gender: ssmlGender,
      languages: languageCodes,
      models: modelsOf(name),
    }),
  ),
};

function modelsOf(name: string): string[] {
  if (!name.includes("-")) return GEMINI;
  const family = name.split("-").find((part) => Object.hasOwn(FAMILIES, part));
  return family === undefined ? [] : [FAMILIES[family]!];
}
