import { seeded } from "../seeded.ts";

/** The ends of an interval. */
export type Interval = { low: number; high: number };

/** 95 percent of the standard normal distribution is within this distance of 0. */
const Z_95 = 1.959963984540054;

/** Returns Wilson's 95 percent score interval of a share, without continuity correction; null for an empty sample. */
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

const RESAMPLES = 2_000;

/** Returns the difference of the medians, second minus first, with its 99 percent bootstrap interval; null without pairs. */
export function medianDifference(
  pairs: readonly (readonly [number, number])[],
  seed: string,
): (Interval & { difference: number }) | null {
  const count = pairs.length;
  if (count === 0) return null;
  const next = seeded(seed);
  const [first, second] = [new Float64Array(count), new Float64Array(count)];
  const differenceOf = (pick: (index: number) => number) => {
    for (let index = 0; index < count; index++) [first[index], second[index]] = pairs[pick(index)]!;
    return sortedMedian(second.sort()) - sortedMedian(first.sort());
  };
  const difference = differenceOf((index) => index);
  const resampled = new Float64Array(RESAMPLES);
  for (let i = 0; i < RESAMPLES; i++) resampled[i] = differenceOf(() => Math.floor(next() * count));
  resampled.sort();
  const at = (share: number) => resampled[Math.round(share * (RESAMPLES - 1))]!;
  return { difference, low: at(0.005), high: at(0.995) };
}

/** Returns the median; `values` must not be empty. */
export const median = (values: readonly number[]): number => sortedMedian(Float64Array.from(values).sort());

function sortedMedian(sorted: Float64Array): number {
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
