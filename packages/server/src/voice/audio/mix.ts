import { sampleOf } from "./audio.ts";
import { factorOf } from "./level.ts";

export const scaled = (samples: Int16Array, factor: number): Int16Array =>
  factor === 1 ? samples : samples.map((sample) => sampleOf(sample * factor));

export const mixed = (sound: Int16Array, other: Int16Array): Int16Array =>
  sound.map((sample, at) => sampleOf(sample + (other[at] ?? 0)));

/** Returns the factor for a noise of level `noiseDbfs`, so that speech of level `speechDbfs` is `snrDb` louder than the noise. */
export const noiseFactor = (speechDbfs: number, noiseDbfs: number, snrDb: number): number =>
  factorOf(speechDbfs - snrDb - noiseDbfs);
