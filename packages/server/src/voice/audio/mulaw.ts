// μ-law of ITU-T G.711. A code has a sign and one of 8 segments with 16 steps each; the width of the segments doubles. A code encodes a
// sample of 14 bits, and its bits are transmitted inverted.

/** The bias that the standard adds to each magnitude: 33 for samples of 14 bits, scaled here to samples of 16 bits. */
const BIAS = 33 << 2;

/** The largest magnitude that a code represents: just below 8,159 for samples of 14 bits, scaled here to samples of 16 bits. */
const LARGEST = (8_159 << 2) - 1;

const DECODED = Int16Array.from({ length: 256 }, (_, code) => {
  const bits = ~code & 0xff;
  const magnitude = ((((bits & 0x0f) << 3) + BIAS) << ((bits >> 4) & 0x07)) - BIAS;
  return bits & 0x80 ? -magnitude : magnitude;
});

export const MULAW_SILENCE = 0xff;

export function mulawOf(sample: number): number {
  const magnitude = Math.min(Math.abs(sample), LARGEST) + BIAS;
  const segment = 24 - Math.clz32(magnitude);
  const step = (magnitude >> (segment + 3)) & 0x0f;
  return ~((sample < 0 ? 0x80 : 0) | (segment << 4) | step) & 0xff;
}

export const encodeMulaw = (samples: Int16Array): Uint8Array => Uint8Array.from(samples, mulawOf);

export const decodeMulaw = (codes: Uint8Array): Int16Array => Int16Array.from(codes, (code) => DECODED[code]!);
