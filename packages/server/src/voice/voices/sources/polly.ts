import { AwsV4Signer } from "aws4fetch";
import { z } from "zod";
import { maybeText, maybeTexts, rowReader, toListedVoice } from "../read-voice.ts";
import type { VoiceSource } from "../voice-source.ts";

const Page = z.object({ Voices: z.array(z.unknown()), NextToken: maybeText });

const Voice = z.object({
  Id: z.string(),
  Name: maybeText,
  Gender: maybeText,
  LanguageCode: maybeText,
  AdditionalLanguageCodes: maybeTexts,
  SupportedEngines: maybeTexts,
});

/** Lists the voices of Amazon Polly. The key is the access key id and the secret access key, joined by a colon. */
export const polly: VoiceSource = {
  address: (region) => `https://polly.${region}.amazonaws.com/`,
  async headers({ apiKey, region = "" }, url, nowMs) {
    const [accessKeyId, secretAccessKey] = apiKey.split(":") as [string, string];
    const datetime = new Date(nowMs).toISOString().replaceAll(/[-:]|\.\d{3}/g, "");
    const signer = new AwsV4Signer({ url: url.href, accessKeyId, secretAccessKey, region, service: "polly", datetime });
    return Object.fromEntries((await signer.sign()).headers);
  },
  request: (cursor) => ({ path: "v1/voices", ...(cursor && { query: { NextToken: cursor } }) }),
  readPage(body) {
    const { Voices, NextToken } = Page.parse(body);
    return { rows: Voices, next: NextToken || undefined };
  },
  readVoice: rowReader(Voice, (row) =>
    toListedVoice({
      id: row.Id,
      name: row.Name,
      isStandard: true,
      gender: row.Gender,
      languages: [row.LanguageCode, ...row.AdditionalLanguageCodes],
      models: row.SupportedEngines,
    }),
  ),
};
