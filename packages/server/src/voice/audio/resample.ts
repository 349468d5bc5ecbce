import { type Audio, sampleOf } from "./audio.ts";

/**
 * Number of zero crossings of the sinc function on each side of its center. The filter delays the sound by 3 ms when the lower rate is 8
 * kHz.
 */
const CROSSINGS = 24;

/** The middle frequency of the filter's slope, relative to half of the lower rate. The slope ends at half of the lower rate. */
const CUTOFF = 0.91;

/** Parameter of the Kaiser window. It attenuates the stopband by about 70 dB. */
const KAISER_BETA = 7;

/** Each row of coefficients belongs to one position between two samples of the source. */
type Filter = { step: number; phases: number; taps: number; rows: Float64Array[] };

/** Converts a sound in frames of any length. */
type Resampler = {
  readonly delayMs: number;
  /** Returns the converted samples. Over all frames, input and output have the same duration. */
  push: (frame: Int16Array) => Int16Array;
};

/** Converts a sound frame by frame. The filter keeps the last samples of each frame, so that the frames join without a click. */
export function createResampler(from: number, to: number): Resampler {
  if (from === to) return { delayMs: 0, push: (frame) => frame };
  const filter = filterOf(from, to);
  let history = new Int16Array(filter.taps);
  let position = 0;
  return {
    delayMs: (filter.taps / 2 / from) * 1_000,
    push(frame) {
      const source = new Int16Array(history.length + frame.length);
      source.set(history);
      source.set(frame, history.length);
      const length = Math.ceil((frame.length * filter.phases - position) / filter.step);
      const output = new Int16Array(Math.max(0, length));
      for (let at = 0; at < output.length; at++) {
        output[at] = sampleAt(source, position, filter);
        position += filter.step;
      }
      position -= frame.length * filter.phases;
      history = source.slice(source.length - filter.taps);
      return output;
    },
  };
}

/** Converts a whole sound to another sample rate, without a delay and with the same duration. */
export function resample({ samples, rate }: Audio, to: number): Audio {
  if (rate === to) return { samples, rate };
  const filter = filterOf(rate, to);
  const half = filter.taps / 2;
  const source = new Int16Array(samples.length + filter.taps * 2);
  source.set(samples, half);
  const output = new Int16Array(Math.round((samples.length * to) / rate));
  for (let at = 0; at < output.length; at++) output[at] = sampleAt(source, at * filter.step, filter);
  return { samples: output, rate: to };
}

/**
 * Returns the converted sample at a position in the source, counted in phases. The filter's first coefficient belongs to the source sample
 * after the position.
 */
function sampleAt(source: Int16Array, position: number, { phases, taps, rows }: Filter): number {
  const first = Math.floor(position / phases) + 1;
  const row = rows[position % phases]!;
  let sum = 0;
  for (let tap = 0; tap < taps; tap++) sum += row[tap]! * source[first + tap]!;
  return sampleOf(sum);
}

const filters = new Map<string, Filter>();

function filterOf(from: number, to: number): Filter {
  const key = `${from} ${to}`;
  const filter = filters.get(key) ?? makeFilter(from, to);
  filters.set(key, filter);
  return filter;
}

function makeFilter(from: number, to: number): Filter {
  const divisor = greatestDivisor(from, to);
  const phases = to / divisor;
  const step = from / divisor;
  const cutoff = Math.min(1, to / from) * CUTOFF;
  const half = Math.ceil(CROSSINGS / Math.min(1, to / from));
  const rows = Array.from({ length: phases }, (_, phase) => rowOf(half, phase / phases, cutoff));
  return { step, phases, taps: half * 2, rows };
}

/** Returns a row of filter coefficients. Their sum is 1, so that a constant signal stays the same. */
function rowOf(half: number, fraction: number, cutoff: number): Float64Array {
  const row = Float64Array.from({ length: half * 2 }, (_, tap) => {
    const distance = tap - (half - 1) - fraction;
    return sinc(distance * cutoff) * kaiser(distance / half);
  });
  const sum = row.reduce((total, value) => total + value, 0);
  return row.map((value) => value / sum);
}

const sinc = (x: number): number => (x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x));

const kaiser = (x: number): number =>
  Math.abs(x) >= 1 ? 0 : bessel(KAISER_BETA * Math.sqrt(1 - x * x)) / bessel(KAISER_BETA);

/** Returns the modified Bessel function of the first kind, order 0. */
function bessel(x: number): number {
  let sum = 1;
  let term = 1;
  for (let k = 1; term > sum * 1e-12; k++) {
    term *= (x / (2 * k)) ** 2;
    sum += term;
  }
  return sum;
}

const greatestDivisor = (x: number, y: number): number => (y === 0 ? x : greatestDivisor(y, x % y));
