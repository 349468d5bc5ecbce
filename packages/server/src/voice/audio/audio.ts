/** Mono sound: signed 16-bit samples and the number of samples per second (`rate`). */
export type Audio = { samples: Int16Array; rate: number };

/** The sample rate inside a call, in hertz. Each connection to an agent converts between this rate and the rate of its codec. */
export const CALL_RATE = 16_000;

export const FRAME_MS = 10;

export const FRAME_SAMPLES = (CALL_RATE * FRAME_MS) / 1_000;

export const FULL_SCALE = 32_767;

export const sampleOf = (value: number): number =>
  value >= FULL_SCALE ? FULL_SCALE : value <= -32_768 ? -32_768 : Math.round(value);

export const durationMs = ({ samples, rate }: Audio): number => (samples.length / rate) * 1_000;

export function joined(pieces: readonly Int16Array[]): Int16Array {
  const whole = new Int16Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
