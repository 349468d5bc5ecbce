import { sampleOf } from "./audio.ts";
import { factorOf } from "./level.ts";

/** Returns the samples, louder or quieter by a factor; samples out of range are clipped. */
export const scaled = (samples: Int16Array, factor: number): Int16Array =>
  factor === 1 ? samples : samples.map((sample) => sampleOf(sample * factor));

/** Returns the sum of two sounds with the length of the first; samples out of range are clipped. */
export const mixed = (sound: Int16Array, other: Int16Array): Int16Array =>
  sound.map((sample, at) => sampleOf(sample + (other[at] ?? 0)));

/** Returns the factor for a noise of level `noiseDbfs` that puts a speech of level `speechDbfs` `snrDb` above it. */
export const noiseFactor = (speechDbfs: number, noiseDbfs: number, snrDb: number): number =>
  factorOf(speechDbfs - snrDb - noiseDbfs);
