import type { Audio } from "../audio/audio.ts";

const MIN = -32_768;
const MAX = 32_767;

/** Returns the sound with its samples multiplied by a factor; louder samples than the format holds are clipped. */
export function scaled(audio: Audio, factor: number): Audio {
  if (factor === 1) return audio;
  const samples = audio.samples.map((sample) => Math.max(MIN, Math.min(MAX, Math.round(sample * factor))));
  return { samples, rate: audio.rate };
}
