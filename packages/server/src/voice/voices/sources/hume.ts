import { z } from "zod";
import { maybe, maybeText, rowReader, toListedVoice } from "../read-voice.ts";
import type { VoiceSource } from "../voice-source.ts";

const Page = z.object({ voices_page: z.array(z.unknown()), total_pages: maybe(z.number()) });

const Voice = z.object({
  id: z.string(),
  name: maybeText,
  provider: maybeText,
  compatible_octave_models: maybe(z.array(z.union([z.string(), z.number()]))),
});

const FIRST = "HUME_AI:0";
const FIRST_OF_ACCOUNT = "CUSTOM_VOICE:0";

/**
 * Lists the voices of Hume. Hume has two lists with numbered pages: first Hume's voices, then the account's voices. The cursor is
 * `LIST:PAGE`.
 */
export const hume: VoiceSource = {
  address: () => "https://api.hume.ai/",
  headers: ({ apiKey }) => ({ "x-hume-api-key": apiKey }),
  request(cursor = FIRST) {
    const [provider, page] = cursor.split(":") as [string, string];
    return { path: "v0/tts/voices", query: { provider, page_number: page, page_size: "100" } };
  },
  readPage(body, cursor = FIRST) {
    const { voices_page, total_pages } = Page.parse(body);
    const [provider, page] = cursor.split(":") as [string, string];
    const following = Number(page) + 1;
    if (following < (total_pages ?? 0)) return { rows: voices_page, next: `${provider}:${following}` };
    return { rows: voices_page, next: provider === "HUME_AI" ? FIRST_OF_ACCOUNT : undefined };
  },
  readVoice: rowReader(Voice, ({ id, name, provider, compatible_octave_models }) => {
    const models = (compatible_octave_models ?? []).flatMap((model) => modelsOf(String(model)));
    return toListedVoice({ id, name, isStandard: provider === "HUME_AI", ...(models.length > 0 && { models }) });
  }),
};

function modelsOf(version: string): string[] {
  const [number] = /[12]$/.exec(version) ?? [];
  return number === undefined ? [] : [number, number === "1" ? "octave" : "octave2"];
}
