import { sampleOf } from "./audio.ts";

// G.722 at 64 kbit/s: two bands of 8 kHz with adaptive differential coding, 6 bits for the lower band and 2 for the higher one. The names of
// tables and variables are those of ITU-T G.722.

/** Coefficients of the filter that splits and joins the bands. */
const QMF = [3, -11, 12, 32, -210, 951, 3876, -805, 362, -156, 53, -11];
const QMF_TAPS = 24;

const Q6 = [
  0, 35, 72, 110, 150, 190, 233, 276, 323, 370, 422, 473, 530, 587, 650, 714, 786, 858, 940, 1023, 1121, 1219, 1339,
  1458, 1612, 1765, 1980, 2195, 2557, 2919,
];
const ILN = [
  0, 63, 62, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4,
];
const ILP = [
  0, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47, 46, 45, 44, 43, 42, 41, 40, 39, 38, 37, 36, 35, 34, 33,
  32,
];
const WL = [-60, -30, 58, 172, 334, 538, 1198, 3042];
const RL42 = [0, 7, 6, 5, 4, 3, 2, 1, 7, 6, 5, 4, 3, 2, 1, 0];
const ILB = [
  2048, 2093, 2139, 2186, 2233, 2282, 2332, 2383, 2435, 2489, 2543, 2599, 2656, 2714, 2774, 2834, 2896, 2960, 3025,
  3091, 3158, 3228, 3298, 3371, 3444, 3520, 3597, 3676, 3756, 3838, 3922, 4008,
];
const QM4 = [0, -20456, -12896, -8968, -6288, -4240, -2584, -1200, 20456, 12896, 8968, 6288, 4240, 2584, 1200, 0];
const QM6 = [
  -136, -136, -136, -136, -24808, -21904, -19008, -16704, -14984, -13512, -12280, -11192, -10232, -9360, -8576, -7856,
  -7192, -6576, -6000, -5456, -4944, -4464, -4008, -3576, -3168, -2776, -2400, -2032, -1688, -1360, -1040, -728, 24808,
  21904, 19008, 16704, 14984, 13512, 12280, 11192, 10232, 9360, 8576, 7856, 7192, 6576, 6000, 5456, 4944, 4464, 4008,
  3576, 3168, 2776, 2400, 2032, 1688, 1360, 1040, 728, 432, 136, -432, -136,
];
const QM2 = [-7408, -1616, 7408, 1616];
const IHN = [0, 1, 0];
const IHP = [0, 3, 2];
const WH = [0, -214, 798];
const RH2 = [2, 1, 2, 1];

/** State of the predictor of one band. */
type Band = {
  s: number;
  sp: number;
  sz: number;
  r: number[];
  a: number[];
  p: number[];
  d: number[];
  b: number[];
  nb: number;
  det: number;
};

const bandWith = (det: number): Band => ({
  s: 0,
  sp: 0,
  sz: 0,
  r: [0, 0, 0],
  a: [0, 0, 0],
  p: [0, 0, 0],
  d: [0, 0, 0, 0, 0, 0, 0],
  b: [0, 0, 0, 0, 0, 0, 0],
  nb: 0,
  det,
});
const lowBand = () => bandWith(32);
const highBand = () => bandWith(8);

/** Adapts the predictor of a band to its next difference. */
function adapt(band: Band, difference: number): void {
  const { a, b, d, p, r } = band;
  d[0] = difference;
  r[0] = sampleOf(band.s + difference);
  p[0] = sampleOf(band.sz + difference);
  const isSame = (one: number, other: number) => one >> 15 === other >> 15;

  const a1 = sampleOf(a[1]! << 2);
  const turned = Math.min(32_767, isSame(p[0], p[1]!) ? -a1 : a1);
  const ap2 = (isSame(p[0], p[2]!) ? 128 : -128) + (turned >> 7) + ((a[2]! * 32_512) >> 15);
  const nextA2 = Math.max(-12_288, Math.min(12_288, ap2));
  const ap1 = (isSame(p[0], p[1]!) ? 192 : -192) + ((a[1]! * 32_640) >> 15);
  const limit = sampleOf(15_360 - nextA2);
  const nextA1 = Math.max(-limit, Math.min(limit, ap1));

  const gain = difference === 0 ? 0 : 128;
  for (let at = 1; at < 7; at++)
    b[at] = sampleOf((isSame(d[at]!, difference) ? gain : -gain) + ((b[at]! * 32_640) >> 15));
  for (let at = 6; at > 0; at--) d[at] = d[at - 1]!;
  for (let at = 2; at > 0; at--) {
    r[at] = r[at - 1]!;
    p[at] = p[at - 1]!;
  }
  a[1] = nextA1;
  a[2] = nextA2;

  const poles = sampleOf(((a[1] * sampleOf(2 * r[1]!)) >> 15) + ((a[2] * sampleOf(2 * r[2]!)) >> 15));
  let zeros = 0;
  for (let at = 6; at > 0; at--) zeros += (b[at]! * sampleOf(2 * d[at]!)) >> 15;
  band.sp = poles;
  band.sz = sampleOf(zeros);
  band.s = sampleOf(band.sp + band.sz);
}

/** Returns the scale of a band's quantizer from its logarithm. */
function scaleOf(nb: number, shift: number): number {
  const mantissa = ILB[(nb >> 6) & 31]!;
  const exponent = shift - (nb >> 11);
  return (exponent < 0 ? mantissa << -exponent : mantissa >> exponent) << 2;
}

/** Takes a code of 4 bits of the lower band into its state. */
function adaptLow(band: Band, code: number): void {
  const difference = (band.det * QM4[code]!) >> 15;
  band.nb = Math.max(0, Math.min(18_432, ((band.nb * 127) >> 7) + WL[RL42[code]!]!));
  band.det = scaleOf(band.nb, 8);
  adapt(band, difference);
}

/** Takes a code of 2 bits of the higher band into its state, and returns the difference that it stands for. */
function adaptHigh(band: Band, code: number): number {
  const difference = (band.det * QM2[code]!) >> 15;
  band.nb = Math.max(0, Math.min(22_528, ((band.nb * 127) >> 7) + WH[RH2[code]!]!));
  band.det = scaleOf(band.nb, 10);
  adapt(band, difference);
  return difference;
}

function codeOfLow({ s, det }: Band, sample: number): number {
  const difference = sampleOf(sample - s);
  const size = difference >= 0 ? difference : -(difference + 1);
  let step = 1;
  while (step < 30 && size >= (Q6[step]! * det) >> 12) step++;
  return difference < 0 ? ILN[step]! : ILP[step]!;
}

function codeOfHigh({ s, det }: Band, sample: number): number {
  const difference = sampleOf(sample - s);
  const size = difference >= 0 ? difference : -(difference + 1);
  const step = size >= (564 * det) >> 12 ? 2 : 1;
  return difference < 0 ? IHN[step]! : IHP[step]!;
}

const within15Bits = (value: number): number => Math.max(-16_384, Math.min(16_383, value));

/** Returns the sums of the odd and the even taps of the band filter. */
function filtered(taps: readonly number[]): [odd: number, even: number] {
  let odd = 0;
  let even = 0;
  for (let at = 0; at < QMF_TAPS / 2; at++) {
    odd += taps[2 * at]! * QMF[at]!;
    even += taps[2 * at + 1]! * QMF[QMF_TAPS / 2 - 1 - at]!;
  }
  return [odd, even];
}

/** Creates an encoder. It takes an even number of samples at 16 kHz, and returns a code for every two of them. */
export function createG722Encoder(): (samples: Int16Array) => Uint8Array {
  const taps = Array.from({ length: QMF_TAPS }, () => 0);
  const low = lowBand();
  const high = highBand();
  return (samples) => {
    const codes = new Uint8Array(samples.length >> 1);
    for (let at = 0; at < codes.length; at++) {
      taps.splice(0, 2);
      taps.push(samples[2 * at]!, samples[2 * at + 1]!);
      const [odd, even] = filtered(taps);
      const lowCode = codeOfLow(low, (even + odd) >> 14);
      const highCode = codeOfHigh(high, (even - odd) >> 14);
      adaptLow(low, lowCode >> 2);
      adaptHigh(high, highCode);
      codes[at] = (highCode << 6) | lowCode;
    }
    return codes;
  };
}

/** Creates a decoder. It returns two samples at 16 kHz for each code. */
export function createG722Decoder(): (codes: Uint8Array) => Int16Array {
  const taps = Array.from({ length: QMF_TAPS }, () => 0);
  const low = lowBand();
  const high = highBand();
  return (codes) => {
    const samples = new Int16Array(codes.length * 2);
    for (const [at, code] of codes.entries()) {
      const lowCode = code & 63;
      const lowSample = within15Bits(low.s + ((low.det * QM6[lowCode]!) >> 15));
      adaptLow(low, lowCode >> 2);
      const before = high.s;
      const highSample = within15Bits(before + adaptHigh(high, code >> 6));
      taps.splice(0, 2);
      taps.push(lowSample + highSample, lowSample - highSample);
      const [odd, even] = filtered(taps);
      samples[2 * at] = sampleOf(even >> 11);
      samples[2 * at + 1] = sampleOf(odd >> 11);
    }
    return samples;
  };
}
