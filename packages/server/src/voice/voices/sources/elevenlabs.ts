import { z } from "zod";
import { maybe, maybeText, maybeTexts, rowReader, toListedVoice } from "../read-voice.ts";
import type { VoiceSource } from "../voice-source.ts";

const Page = z.object({ voices: z.array(z.unknown()), has_more: maybe(z.boolean()), next_page_token: maybeText });

const Voice = z.object({
  voice_id: z.string(),
  name: maybeText,
  category: maybeText,
  is_owner: maybe(z.boolean()),
  labels: maybe(z.object({ gender: maybeText, accent: maybeText, language: maybeText })),
  verified_languages: maybe(z.array(z.object({ language: maybeText, locale: maybeText, accent: maybeText }))),
  high_quality_base_model_ids: maybeTexts,
  fine_tuning: maybe(z.object({ state: maybe(z.record(z.string(), z.unknown())) })),
});

/**
 * Only `premade` voices are standard, because copies from the voice library belong to the account. A professional voice clone works with
 * the models for which it was trained.
 */
export const elevenlabs: VoiceSource = {
  address: () => "https://api.elevenlabs.io/",
  headers: ({ apiKey }) => ({ "xi-api-key": apiKey }),
  request: (cursor) => ({ path: "v2/voices", query: { page_size: "100", ...(cursor && { next_page_token: cursor }) } }),
  readPage(body) {
    const { voices, has_more, next_page_token } = Page.parse(body);
    return { rows: voices, next: has_more ? z.string().min(1).parse(next_page_token) : undefined };
  },
  readVoice: rowReader(Voice, (row) => {
    const verified = row.verified_languages ?? [];
    const professionalClone = row.category === "professional";
    return toListedVoice({
      id: row.voice_id,
      name: row.name,
      isStandard: row.category === "premade" && row.is_owner !== true,
      gender: row.labels?.gender,
      languages:
        verified.length > 0 ? verified.map(({ locale, language }) => locale ?? language) : [row.labels?.language],
      accents: [row.labels?.accent, ...verified.map(({ accent }) => accent)],
      professionalClone,
      ...(professionalClone && { models: modelsOfClone(row) }),
    });
  }),
};

function modelsOfClone({ fine_tuning, high_quality_base_model_ids }: z.output<typeof Voice>): string[] | undefined {
  const tuned = Object.entries(fine_tuning?.state ?? {}).filter(([, state]) => state === "fine_tuned");
  const models = [...tuned.map(([model]) => model), ...high_quality_base_model_ids];
  return models.length > 0 ? models : undefined;
}
