import type { Audio } from "../../audio/audio.ts";
import type { BuiltInVoice } from "./voices.ts";

export type FliteFace = {
  options: undefined;
  calls: { speak: (utterances: string[], voice: BuiltInVoice, speed: number, signal: AbortSignal) => Promise<Audio> };
  events: Record<string, never>;
};
