import { CALL_RATE } from "../../../packages/server/src/voice/audio/audio.ts";

/** Returns a sine wave; `level` is its amplitude as a share of full scale. */
export const tone = (frequencyHz: number, seconds: number, level = 0.5, rate: number = CALL_RATE): Int16Array =>
  Int16Array.from({ length: Math.round(seconds * rate) }, (_, at) =>
    Math.round(32_767 * level * Math.sin((2 * Math.PI * frequencyHz * at) / rate)),
  );

export const silence = (seconds: number, rate: number = CALL_RATE): Int16Array =>
  new Int16Array(Math.round(seconds * rate));

/** Cuts samples into frames of a length; the last frame may be shorter. */
export function framesOf(samples: Int16Array, length: number): Int16Array[] {
  const frames: Int16Array[] = [];
  for (let at = 0; at < samples.length; at += length) frames.push(samples.subarray(at, at + length));
  return frames;
}

/** Returns a function that takes successive pieces of sound, and returns whether a tone starts in one. */
export function createToneDetector(): (samples: Int16Array) => boolean {
  let quiet = 10;
  return (samples) => {
    const isLoud = samples.some((sample) => Math.abs(sample) > 2_000);
    const starts = isLoud && quiet >= 10;
    quiet = isLoud ? 0 : quiet + 1;
    return starts;
  };
}
