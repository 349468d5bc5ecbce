import { z } from "zod";
import { maybe, maybeText, rowReader, toListedVoice } from "../read-voice.ts";
import type { VoiceSource } from "../voice-source.ts";

const rows = maybe(z.array(z.unknown()));
const Page = z.object({
  base_resp: maybe(z.object({ status_code: z.number() })),
  system_voice: rows,
  voice_cloning: rows,
  voice_generation: rows,
});
const Row = z.object({ isStandard: z.boolean(), row: z.object({ voice_id: z.string(), voice_name: maybeText }) });

const OK = 0;
const LIMITED = [1002, 1039, 2045];
const REFUSED = [1004, 2049];

/**
 * Lists the voices of MiniMax. One page contains all voices. Failures also have HTTP status 200; `base_resp.status_code` tells whether the
 * request succeeded.
 */
export const minimax: VoiceSource = {
  address: () => "https://api.minimax.io/",
  headers: ({ apiKey }) => ({ authorization: `Bearer ${apiKey}` }),
  request: () => ({ path: "v1/get_voice", post: { voice_type: "all" } }),
  readPage(body) {
    const { base_resp, system_voice, voice_cloning, voice_generation } = Page.parse(body);
    const status = base_resp?.status_code ?? OK;
    if (REFUSED.includes(status)) return "refused";
    if (LIMITED.includes(status)) return "limited";
    if (status !== OK || (!base_resp && !system_voice)) throw new Error("The answer contains no list of voices.");
    const own = [...(voice_cloning ?? []), ...(voice_generation ?? [])];
    return {
      rows: [
        ...(system_voice ?? []).map((row) => ({ isStandard: true, row })),
        ...own.map((row) => ({ isStandard: false, row })),
      ],
    };
  },
  readVoice: rowReader(Row, ({ isStandard, row }) =>
    toListedVoice({ id: row.voice_id, name: row.voice_name, isStandard }),
  ),
};
