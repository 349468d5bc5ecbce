// A-law of ITU-T G.711. A code has a sign and one of 8 segments with 16 steps each; it encodes a sample of 13 bits. The even bits of a code
// are transmitted inverted.

const INVERTED = 0x55;

const DECODED = Int16Array.from({ length: 256 }, (_, code) => {
  const bits = code ^ INVERTED;
  const segment = (bits >> 4) & 0x07;
  const step = ((bits & 0x0f) << 4) + 8;
  const magnitude = segment === 0 ? step : (step + 0x100) << (segment - 1);
  return bits & 0x80 ? magnitude : -magnitude;
});

function alawOf(sample: number): number {
  const magnitude = (sample < 0 ? ~sample : sample) >> 4;
  const segment = Math.max(0, 28 - Math.clz32(magnitude));
  const code = segment === 0 ? magnitude : (segment << 4) | ((magnitude >> (segment - 1)) & 0x0f);
  return (code | (sample < 0 ? 0 : 0x80)) ^ INVERTED;
}

export const encodeAlaw = (samples: Int16Array): Uint8Array => Uint8Array.from(samples, alawOf);

export const decodeAlaw = (codes: Uint8Array): Int16Array => Int16Array.from(codes, (code) => DECODED[code]!);
