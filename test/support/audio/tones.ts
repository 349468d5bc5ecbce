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
