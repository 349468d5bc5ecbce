import { z } from "zod";
import { capitalized, readRows, voice } from "../reading.ts";
import type { VoiceSource } from "../voice-source.ts";

const Page = z.record(z.string(), z.record(z.string(), z.array(z.unknown())));
const Voice = z.object({ id: z.string(), languages: z.array(z.string()), models: z.array(z.string()) });

/** A public file: by model and language (ISO 639-2) the names of voices. One name in several models is one voice. */
export const rime: VoiceSource = {
  address: () => "https://users.rime.ai/",
  headers: () => ({}),
  request: () => ({ path: "data/voices/all-v2.json" }),
  readPage(body) {
    const voices = new Map<unknown, { id: unknown; languages: string[]; models: string[] }>();
    for (const [model, languages] of Object.entries(Page.parse(body))) {
      for (const [language, ids] of Object.entries(languages)) {
        for (const id of ids) {
          const known = voices.get(id) ?? { id, languages: [], models: [] };
          if (!known.languages.includes(language)) known.languages.push(language);
          if (!known.models.includes(model)) known.models.push(model);
          voices.set(id, known);
        }
      }
    }
    return { rows: [...voices.values()] };
  },
  readVoice: readRows(Voice, ({ id, languages, models }) =>
    voice({ id, name: capitalized(id), isStandard: true, languages, models }),
  ),
};
