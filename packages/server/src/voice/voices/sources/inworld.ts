import { z } from "zod";
import { genderAmong, maybeText, maybeTexts, rowReader, toListedVoice } from "../read-voice.ts";
import type { VoiceSource } from "../voice-source.ts";

const Page = z.object({ voices: z.array(z.unknown()), nextPageToken: maybeText });

const Voice = z.object({
  voiceId: z.string(),
  displayName: maybeText,
  langCode: maybeText,
  languages: maybeTexts,
  tags: maybeTexts,
  source: maybeText,
});

/**
 * The documentation of Inworld lists only the value `SYSTEM` of `source`. A voice with any other value counts as a voice of the account.
 */
export const inworld: VoiceSource = {
  address: () => "https://api.inworld.ai/",
  headers: ({ apiKey }) => ({ authorization: `Basic ${apiKey}` }),
  request: (cursor) => ({ path: "voices/v1/voices", ...(cursor && { query: { pageToken: cursor } }) }),
  readPage(body) {
    const { voices, nextPageToken } = Page.parse(body);
    return { rows: voices, next: nextPageToken || undefined };
  },
  readVoice: rowReader(Voice, (row) =>
    toListedVoice({
      id: row.voiceId,
      name: row.displayName,
      isStandard: row.source?.toUpperCase() === "SYSTEM",
      gender: genderAmong(row.tags),
      languages: [row.langCode, ...row.languages],
    }),
  ),
};
