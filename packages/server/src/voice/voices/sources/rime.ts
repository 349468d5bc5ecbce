import { z } from "zod";
import { capitalized, rowReader, toListedVoice } from "../read-voice.ts";
import type { VoiceSource } from "../voice-source.ts";

const Page = z.record(z.string(), z.record(z.string(), z.array(z.unknown())));
const Voice = z.object({ id: z.string(), languages: z.array(z.string()), models: z.array(z.string()) });

/**
 * Lists the voices of Rime. A public file contains the names of voices by model and language (ISO 639-2). A name that appears under several
 * models is one voice.
 */
export const rime: VoiceSource = {
  address: () => "https://users.rime.ai/",
  headers: () => ({}),
  request: () => ({ path: "data/voices/all-v2.json" }),
  readPage(body) {
    const voices = new Map<unknown, { id: unknown; languages: string[]; models: string[] }>();
    for (const [model, languages] of Object.entries(Page.parse(body))) {
      for (const [language, ids] of Object.entries(languages)) {
        for (const id of ids) {
          const voice = voices.get(id) ?? { id, languages: [], models: [] };
          if (!voice.languages.includes(language)) voice.languages.push(language);
          if (!voice.models.includes(model)) voice.models.push(model);
          voices.set(id, voice);
        }
      }
    }
    return { rows: [...voices.values()] };
  },
  readVoice: rowReader(Voice, ({ id, languages, models }) =>
    toListedVoice({ id, name: capitalized(id), isStandard: true, languages, models }),
  ),
};
