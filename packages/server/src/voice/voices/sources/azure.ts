import { z } from "zod";
import { maybeText, maybeTexts, rowReader, toListedVoice } from "../read-voice.ts";
import type { VoiceSource } from "../voice-source.ts";

const Page = z.array(z.unknown());

const Voice = z.object({
  ShortName: z.string(),
  DisplayName: maybeText,
  Gender: maybeText,
  Locale: maybeText,
  LocaleName: maybeText,
  SecondaryLocaleList: maybeTexts,
  StyleList: maybeTexts,
  VoiceType: maybeText,
});

/** Lists the voices of Azure. One page contains all standard voices of a region. Voices that an account trained are not listed. */
export const azure: VoiceSource = {
  address: (region) => `https://${region}.tts.speech.microsoft.com/`,
  headers: ({ apiKey }) => ({ "ocp-apim-subscription-key": apiKey }),
  request: () => ({ path: "cognitiveservices/voices/list" }),
  readPage: (body) => ({ rows: Page.parse(body) }),
  readVoice: rowReader(Voice, (row) =>
    toListedVoice({
      id: row.ShortName,
      name: row.DisplayName,
      isStandard: true,
      gender: row.Gender,
      languages: [row.Locale, ...row.SecondaryLocaleList],
      accents: [row.LocaleName],
      models: [/HD/.test(`${row.VoiceType} ${row.ShortName}`) ? "neural-hd" : "neural"],
      emotions: row.StyleList,
    }),
  ),
};
