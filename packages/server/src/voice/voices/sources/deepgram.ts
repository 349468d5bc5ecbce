import { z } from "zod";
import { capitalized, genderAmong, maybe, maybeText, maybeTexts, rowReader, toListedVoice } from "../read-voice.ts";
import type { VoiceSource } from "../voice-source.ts";

const Page = z.object({ tts: z.array(z.unknown()) });

const Voice = z.object({
  canonical_name: z.string(),
  name: maybeText,
  architecture: maybeText,
  languages: maybeTexts,
  metadata: maybe(z.object({ accent: maybeText, display_name: maybeText, tags: maybeTexts })),
});

/** Lists the voices of Deepgram. A voice's id contains its model, for example `aura-2-thalia-en`. */
export const deepgram: VoiceSource = {
  address: () => "https://api.deepgram.com/",
  headers: ({ apiKey }) => ({ authorization: `Token ${apiKey}` }),
  request: () => ({ path: "v1/models" }),
  readPage: (body) => ({ rows: Page.parse(body).tts }),
  readVoice: rowReader(Voice, ({ canonical_name: id, name, architecture, languages, metadata }) => {
    const model = /^(aura-2|aura|flux)-/.exec(id)?.[1] ?? architecture;
    return toListedVoice({
      id,
      name: metadata?.display_name ?? capitalized(name ?? ""),
      isStandard: true,
      gender: genderAmong(metadata?.tags ?? []),
      languages,
      accents: [metadata?.accent],
      ...(model && { models: [model] }),
    });
  }),
};
