import type { Ground } from "../ground.ts";
import { openFlite } from "./flite/flite.ts";
import { createSynthesizers } from "./synthesizer.ts";

export type Speech = ReturnType<typeof openSpeech>;

export function openSpeech({ log }: Ground) {
  const flite = openFlite(log);
  const synthesizers = createSynthesizers({ flite });
  return {
    synthesizerOf: synthesizers.synthesizerOf,
    async close(): Promise<void> {
      synthesizers.close();
      await flite.close();
    },
  };
}
