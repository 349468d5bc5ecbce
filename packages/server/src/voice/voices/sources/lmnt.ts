import { z } from "zod";
import { maybeText, rowReader, toListedVoice } from "../read-voice.ts";
import type { VoiceSource } from "../voice-source.ts";

const Page = z.array(z.unknown());
const Voice = z.object({ id: z.string(), name: maybeText, owner: maybeText, gender: maybeText });

/** Lists the voices of LMNT. One page contains all voices. */
export const lmnt: VoiceSource = {
  address: () => "https://api.lmnt.com/",
  headers: ({ apiKey }) => ({ "x-api-key": apiKey }),
  request: () => ({ path: "v1/ai/voice/list", query: { owner: "all" } }),
  readPage: (body) => ({ rows: Page.parse(body) }),
  readVoice: rowReader(Voice, ({ id, name, owner, gender }) =>
    toListedVoice({ id, name, isStandard: owner === "system", gender }),
  ),
};
