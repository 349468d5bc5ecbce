/** Mono sound: signed 16-bit samples and the number of samples per second (`rate`). */
export type Audio = { samples: Int16Array; rate: number };

/** The sample rate inside a call, in hertz. Each line converts between this rate and the rate of its codec. */
export const CALL_RATE = 16_000;

/** Length of a frame in milliseconds. A call sends and receives sound in frames of this length. */
export const FRAME_MS = 10;

/** Number of samples in a frame at `CALL_RATE`. */
export const FRAME_SAMPLES = (CALL_RATE * FRAME_MS) / 1_000;

/** The largest magnitude of a sample. */
export const FULL_SCALE = 32_767;

/** Returns the sample that is nearest to a number. A number out of range becomes the largest or the smallest sample. */
export const sampleOf = (value: number): number =>
  value >= FULL_SCALE ? FULL_SCALE : value <= -32_768 ? -32_768 : Math.round(value);

export const durationMs = ({ samples, rate }: Audio): number => (samples.length / rate) * 1_000;

/** Returns all pieces as one sound, in their order. */
export function joined(pieces: readonly Int16Array[]): Int16Array {
  const whole = new Int16Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
