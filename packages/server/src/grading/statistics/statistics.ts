import { seeded } from "../../base/seeded.ts";

export type Interval = { low: number; high: number };

/** The interval from `-Z_95` to `Z_95` contains 95 percent of the standard normal distribution. */
const Z_95 = 1.959963984540054;

/** Returns Wilson's 95 percent score interval of a share, without continuity correction. */
export function wilson(successes: number, count: number): Interval | null {
  if (count === 0) return null;
  const share = successes / count;
  const z2 = Z_95 * Z_95;
  const center = (share + z2 / (2 * count)) / (1 + z2 / count);
  const half = (Z_95 / (1 + z2 / count)) * Math.sqrt((share * (1 - share)) / count + z2 / (4 * count * count));
  return {
    low: successes === 0 ? 0 : Math.max(0, center - half),
    high: successes === count ? 1 : Math.min(1, center + half),
  };
}

type Hits = { hits: number; count: number };

/**
 * Returns the mean of two independent shares with its 95 percent interval, computed from Wilson's intervals of the shares (MOVER, Zou and
 * Donner 2008).
 */
export function meanOfShares(one: Hits, other: Hits): (Interval & { mean: number }) | null {
  const [first, second] = [wilson(one.hits, one.count), wilson(other.hits, other.count)];
  if (first === null || second === null) return null;
  const [p, q] = [one.hits / one.count, other.hits / other.count];
  const mean = (p + q) / 2;
  return {
    mean,
    low: mean - Math.hypot(p - first.low, q - second.low) / 2,
    high: mean + Math.hypot(first.high - p, second.high - q) / 2,
  };
}

const RESAMPLES = 2_000;

type MedianDifference = Interval & { difference: number };
type NumberPair = readonly [number, number];

/** Computes the difference of the medians, second minus first, with its 99 percent bootstrap interval, in steps. */
export function* computeMedianDifference(
  pairs: readonly NumberPair[],
  seed: string,
): Generator<void, MedianDifference | null> {
  const count = pairs.length;
  if (count === 0) return null;
  const next = seeded(seed);
  const first = createResample(pairs.map(([value]) => value));
  const second = createResample(pairs.map(([, value]) => value));
  for (let index = 0; index < count; index++) {
    first.draw(index);
    second.draw(index);
  }
  const difference = second.median() - first.median();
  const resampled = new Float64Array(RESAMPLES);
  for (let i = 0; i < RESAMPLES; i++) {
    first.empty();
    second.empty();
    for (let drawn = 0; drawn < count; drawn++) {
      const index = Math.floor(next() * count);
      first.draw(index);
      second.draw(index);
    }
    resampled[i] = second.median() - first.median();
    yield;
  }
  resampled.sort();
  const at = (share: number) => resampled[Math.round(share * (RESAMPLES - 1))]!;
  return { difference, low: at(0.005), high: at(0.995) };
}

/** A sample that is drawn again from the values. It counts how often each value was drawn, by rank, so that the median needs no sort. */
function createResample(values: readonly number[]) {
  const order = [...values.keys()].sort((one, other) => values[one]! - values[other]!);
  const sorted = Float64Array.from(order, (index) => values[index]!);
  const rankOf = new Uint32Array(values.length);
  for (const [rank, index] of order.entries()) rankOf[index] = rank;
  const draws = new Uint32Array(values.length);
  const middle = values.length >> 1;
  return {
    draw: (index: number) => void draws[rankOf[index]!]!++,
    empty: () => void draws.fill(0),
    /** Returns the median of the drawn values. Draw as many times as there are values before. */
    median(): number {
      let [rank, below] = [0, draws[0]!];
      const valueAt = (position: number) => {
        while (below <= position) below += draws[++rank]!;
        return sorted[rank]!;
      };
      if (values.length % 2 === 1) return valueAt(middle);
      const lower = valueAt(middle - 1);
      return (lower + valueAt(middle)) / 2;
    },
  };
}

/** `values` must not be empty. */
export const median = (values: readonly number[]): number => sortedMedian(Float64Array.from(values).sort());

function sortedMedian(sorted: Float64Array): number {
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
