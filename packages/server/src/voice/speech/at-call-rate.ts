import { setImmediate as nextTurn } from "node:timers/promises";
import { type Audio, CALL_RATE, joined } from "../audio/audio.ts";
import { createResampler } from "../audio/resample.ts";

/** Returns the sound at `CALL_RATE`, converted in slices of a second, so that other work runs between them. */
export async function atCallRate({ samples, rate }: Audio): Promise<Audio> {
  if (rate === CALL_RATE) return { samples, rate };
  const resampler = createResampler(rate, CALL_RATE);
  const slices: Int16Array[] = [];
  for (let at = 0; at < samples.length; at += rate) {
    slices.push(resampler.push(samples.subarray(at, at + rate)));
    await nextTurn();
  }
  return { samples: joined(slices), rate: CALL_RATE };
}
