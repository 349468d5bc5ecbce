import { z } from "zod";
import { maybe, maybeText, maybeTexts, rowReader, toListedVoice } from "../read-voice.ts";
import type { VoiceSource } from "../voice-source.ts";

const Page = z.object({ data: z.array(z.unknown()), has_more: maybe(z.boolean()) });
const LastRow = z.object({ id: z.string() });

const Voice = z.object({
  id: z.string(),
  name: maybeText,
  access: maybeText,
  visibility: maybeText,
  is_owner: maybe(z.boolean()),
  gender: maybeText,
  language: maybeText,
  locales: maybe(z.array(z.object({ locale: z.string() }))),
  accent: maybeText,
  accents: maybeTexts,
});

/** Lists the voices of Cartesia. The cursor is the id of the last voice. Newer answers have `accent`, and older answers have `accents`. */
export const cartesia: VoiceSource = {
  address: () => "https://api.cartesia.ai/",
  headers: ({ apiKey }) => ({ authorization: `Bearer ${apiKey}`, "cartesia-version": "2026-08-14" }),
  request: (cursor) => ({ path: "voices", query: { limit: "100", ...(cursor && { starting_after: cursor }) } }),
  readPage(body) {
    const { data, has_more } = Page.parse(body);
    return { rows: data, next: has_more ? LastRow.parse(data.at(-1)).id : undefined };
  },
  readVoice: rowReader(Voice, (row) =>
    toListedVoice({
      id: row.id,
      name: row.name,
      isStandard:
        (row.is_owner === false || row.access === "public" || row.visibility === "all") &&
        !(row.is_owner === true || row.access === "private" || row.visibility === "owner"),
      gender: row.gender,
      languages: row.locales?.length ? row.locales.map(({ locale }) => locale) : [row.language],
      accents: [row.accent, ...row.accents],
    }),
  ),
};
