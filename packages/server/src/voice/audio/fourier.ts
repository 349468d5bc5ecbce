type FourierTransform = {
  readonly length: number;
  /** Replaces the numbers by their spectrum, and does not divide the spectrum by the length. */
  forward: (real: Float64Array, imaginary: Float64Array) => void;
};

/** Creates the transform for a length that is a power of two (Cooley–Tukey algorithm, radix 2). */
export function createFourierTransform(length: number): FourierTransform {
  const half = length / 2;
  const cosines = Float64Array.from({ length: half }, (_, at) => Math.cos((2 * Math.PI * at) / length));
  const sines = Float64Array.from({ length: half }, (_, at) => -Math.sin((2 * Math.PI * at) / length));
  const reversed = new Uint32Array(length);
  for (let at = 1; at < length; at++) reversed[at] = (reversed[at >> 1]! >> 1) | (at & 1 ? half : 0);

  function reorder(values: Float64Array): void {
    for (let at = 0; at < length; at++) {
      const other = reversed[at]!;
      if (other <= at) continue;
      const value = values[at]!;
      values[at] = values[other]!;
      values[other] = value;
    }
  }

  return {
    length,
    forward(real, imaginary) {
      reorder(real);
      reorder(imaginary);
      for (let size = 2, step = half; size <= length; size *= 2, step /= 2) {
        for (let start = 0; start < length; start += size) {
          for (let at = start, turn = 0; turn < half; at++, turn += step) {
            const to = at + (size >> 1);
            const cosine = cosines[turn]!;
            const sine = sines[turn]!;
            const turnedReal = real[to]! * cosine - imaginary[to]! * sine;
            const turnedImaginary = real[to]! * sine + imaginary[to]! * cosine;
            real[to] = real[at]! - turnedReal;
            imaginary[to] = imaginary[at]! - turnedImaginary;
            real[at]! += turnedReal;
            imaginary[at]! += turnedImaginary;
          }
        }
      }
    },
  };
}
