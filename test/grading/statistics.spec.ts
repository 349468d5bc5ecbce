import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { atOnce } from "../../packages/server/src/base/async/in-slices.ts";
import { seeded } from "../../packages/server/src/base/seeded.ts";
import {
  computeMedianDifference,
  meanOfShares,
  median,
  wilson,
} from "../../packages/server/src/grading/statistics/statistics.ts";

const medianDifference = (pairs: readonly (readonly [number, number])[], seed: string) =>
  atOnce(computeMedianDifference(pairs, seed));

describe("Wilson's interval", () => {
  // The values are from Newcombe (1998), Statistics in Medicine 17, table I, method 3.
  test.each([
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ])("Wilson's interval for %i of %i equals the published interval", (successes, count, low, high) => {
    const interval = wilson(successes, count)!;
    expect(interval.low).toBeCloseTo(low, 4);
    expect(interval.high).toBeCloseTo(high, 4);
  });

  test("Wilson's interval is null for an empty sample and contains the share otherwise", () => {
    expect(wilson(0, 0)).toBeNull();
    fc.assert(
      fc.property(fc.nat(500), fc.nat(500), (passed, failed) => {
        fc.pre(passed + failed > 0);
        const { low, high } = wilson(passed, passed + failed)!;
        const share = passed / (passed + failed);
        return low >= 0 && high <= 1 && low <= share && share <= high;
      }),
    );
  });
});

describe("the mean of two shares", () => {
  test("the mean of two shares has an interval that two equal samples make narrower than their own", () => {
    const { low, high } = wilson(45, 50)!;
    const both = meanOfShares({ hits: 45, count: 50 }, { hits: 45, count: 50 })!;
    expect(both.mean).toBe(0.9);
    expect(both.low).toBeCloseTo(0.9 - (0.9 - low) / Math.SQRT2, 12);
    expect(both.high).toBeCloseTo(0.9 + (high - 0.9) / Math.SQRT2, 12);
    expect(meanOfShares({ hits: 0, count: 0 }, { hits: 1, count: 2 })).toBeNull();
  });

  test("the mean of two shares is in an interval that contains the true mean in about 95 % of samples", () => {
    const random = seeded("mean of shares");
    const draw = (share: number, count: number) => ({
      hits: Array.from({ length: count }, random).filter((value) => value < share).length,
      count,
    });
    const covered = Array.from({ length: 2_000 }, () => meanOfShares(draw(0.93, 140), draw(0.85, 130))!).filter(
      ({ low, high }) => low <= 0.89 && 0.89 <= high,
    );
    expect(covered.length / 2_000).toBeGreaterThan(0.93);
    expect(covered.length / 2_000).toBeLessThan(0.97);
  });
});

describe("the difference of medians", () => {
  test("the difference of medians has the same interval for the same seed", () => {
    const pairs = Array.from({ length: 40 }, (_, i) => [500 + ((i * 37) % 100), 700 + ((i * 53) % 100)] as const);
    const result = medianDifference(pairs, "seed")!;
    expect(medianDifference(pairs, "seed")).toEqual(result);
    expect(result.low).toBeLessThanOrEqual(result.difference);
    expect(result.high).toBeGreaterThanOrEqual(result.difference);
    expect(result.low).toBeGreaterThan(150);
    expect(result.high).toBeLessThan(250);
    expect(medianDifference([], "seed")).toBeNull();
    expect(median([3, 1, 2, 10])).toBe(2.5);
  });

  test("the bootstrap of the medians is the same as with sorted resamples", () => {
    const sortedMedian = (values: number[]) => {
      const sorted = values.toSorted((one, other) => one - other);
      const middle = sorted.length >> 1;
      return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
    };
    const value = fc.oneof(fc.integer({ min: -3, max: 3 }), fc.double({ noNaN: true, min: -1e9, max: 1e9 }));
    fc.assert(
      fc.property(fc.array(fc.tuple(value, value), { minLength: 1, maxLength: 30 }), fc.string(), (pairs, seed) => {
        const next = seeded(seed);
        const differenceOf = (drawn: (readonly [number, number])[]) =>
          sortedMedian(drawn.map(([, second]) => second)) - sortedMedian(drawn.map(([first]) => first));
        const resampled = Array.from({ length: 2_000 }, () =>
          differenceOf(pairs.map(() => pairs[Math.floor(next() * pairs.length)]!)),
        ).sort((one, other) => one - other);
        expect(medianDifference(pairs, seed)).toEqual({
          difference: differenceOf(pairs),
          low: resampled[Math.round(0.005 * 1_999)],
          high: resampled[Math.round(0.995 * 1_999)],
        });
      }),
      { numRuns: 15 },
    );
  });

  test("the difference of medians has an interval that contains zero for about 99 of 100 samples without a difference", () => {
    const next = seeded("coverage");
    let covered = 0;
    for (let sample = 0; sample < 100; sample++) {
      const pairs = Array.from({ length: 30 }, () => [next() * 1000, next() * 1000] as const);
      const { low, high } = medianDifference(pairs, `${sample}`)!;
      if (low <= 0 && high >= 0) covered++;
    }
    expect(covered).toBeGreaterThanOrEqual(94);
  });
});
