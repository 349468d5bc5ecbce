import { z } from "zod";
import { maybeText, maybeTexts, rowReader, toListedVoice } from "../read-voice.ts";
import { signedHeaders } from "../sign-aws.ts";
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

/** Amazon Polly: signs its requests; the key is the access key id and its secret, joined by a colon. */
export const polly: VoiceSource = {
  address: (region) => `https://polly.${region}.amazonaws.com/`,
  headers({ apiKey, region = "" }, url, nowMs) {
    const [accessKeyId, secretAccessKey] = apiKey.split(":") as [string, string];
    return signedHeaders(url, { accessKeyId, secretAccessKey, region, service: "polly" }, nowMs);
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
