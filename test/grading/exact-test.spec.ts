import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { criticalValues, significantTests } from "../../packages/server/src/grading/statistics/discrete-step-up.ts";
import { exactTest, type Stratum } from "../../packages/server/src/grading/statistics/exact-test.ts";

const stratum = (a: number, n: number, b: number, m: number): Stratum => ({
  first: { hits: a, count: n },
  second: { hits: b, count: m },
});
const anyStratum = fc
  .tuple(fc.nat(4), fc.nat(4), fc.nat(4), fc.nat(4))
  .map(([a, b, c, d]) => stratum(a, a + b, c, c + d));

// Fisher's exact test on nine tables, with step-down critical values. The expected values are from the vignette "A toy example" of
// the R package DiscreteFDR (Döhler, Durand, Roquain).
const FIRST = [4, 2, 2, 14, 6, 9, 4, 0, 1];
const SECOND = [0, 0, 1, 3, 2, 1, 2, 2, 2];
const NINE = FIRST.map((hits, index) => exactTest([stratum(hits, 148, SECOND[index]!, 132)]));

describe("the exact test", () => {
  test("the exact test equals Fisher's published two-sided values for one table", () => {
    const published = [
      0.12476691, 0.49984639, 1, 0.01243145, 0.28849298, 0.02126871, 0.68723229, 0.22135177, 0.60329543,
    ];
    for (const [index, { p }] of NINE.entries()) expect(p).toBeCloseTo(published[index]!, 7);
    // Fisher's lady tasting tea (The Design of Experiments, 1935): four right cups of four have the probability 1/70 on each side.
    expect(exactTest([stratum(4, 4, 0, 4)]).p).toBeCloseTo(2 / 70, 12);
    expect(exactTest([stratum(5, 5, 0, 5)]).p).toBeCloseTo(2 / 252, 12);
  });

  test("the exact test equals the count over all exchanges of the results between the groups of each stratum", () => {
    fc.assert(
      fc.property(fc.array(anyStratum, { minLength: 1, maxLength: 2 }), (strata) => {
        const sums = bruteSums(strata);
        const total = [...sums.values()].reduce((sum, ways) => sum + ways, 0);
        const observed = strata.reduce((sum, { second }) => sum + second.hits, 0);
        const ways = sums.get(observed)!;
        const p = [...sums.values()].filter((other) => other <= ways).reduce((sum, other) => sum + other, 0) / total;
        expect(exactTest(strata).p).toBeCloseTo(p, 9);
      }),
    );
  });

  test("the exact test without a difference gives at most each attainable value with exactly that probability", () => {
    fc.assert(
      fc.property(anyStratum, (one) => {
        const { attainable } = exactTest([one]);
        const hits = one.first.hits + one.second.hits;
        const all = choose(one.first.count + one.second.count, hits);
        const outcomes = Array.from({ length: one.second.count + 1 }, (_, inSecond) => inSecond)
          .filter((inSecond) => inSecond <= hits && hits - inSecond <= one.first.count)
          .map((inSecond) => ({
            p: exactTest([stratum(hits - inSecond, one.first.count, inSecond, one.second.count)]).p,
            probability: (choose(one.second.count, inSecond) * choose(one.first.count, hits - inSecond)) / all,
          }));
        for (const value of attainable) {
          const below = outcomes.filter(({ p }) => p <= value).reduce((sum, { probability }) => sum + probability, 0);
          expect(below).toBeCloseTo(value, 9);
        }
      }),
    );
  });

  test("the exact test does not depend on which group comes first, nor on the order of the strata", () => {
    fc.assert(
      fc.property(fc.array(anyStratum, { minLength: 1, maxLength: 4 }), (strata) => {
        const swapped = strata.map(({ first, second }) => ({ first: second, second: first })).reverse();
        expect(exactTest(swapped).p).toBeCloseTo(exactTest(strata).p, 9);
      }),
    );
  });

  test("the exact test is exact and quick for thousands of simulations", () => {
    const strata = Array.from({ length: 250 }, (_, index) => stratum(15 + (index % 3), 20, 15 + ((index + 1) % 3), 20));
    expect(exactTest(strata).p).toBeGreaterThan(0.5);
    expect(exactTest(strata.map(({ first }) => ({ first, second: { hits: 8, count: 20 } }))).p).toBeLessThan(1e-100);
    expect(exactTest([])).toMatchObject({ p: 1, attainable: [1] });
  });
});

describe("the step-up procedure for discrete tests", () => {
  const five = (before: number, after: number) => exactTest([stratum(before, 5, after, 5)]);
  const times = <T>(count: number, item: T): T[] => Array.from({ length: count }, () => item);

  test("the step-up procedure for discrete tests has the published critical values and rejections", () => {
    const published = [
      0.01243145, 0.02832448, 0.03109596, 0.04839433, 0.05014119, 0.07657062, 0.07657062, 0.10328523, 0.10328523,
    ];
    for (const [index, value] of criticalValues(NINE, 0.05).entries()) expect(value).toBeCloseTo(published[index]!, 7);
    expect(significantTests(NINE, 0.05)).toEqual([3, 5]);
  });

  test("the step-up procedure for discrete tests finds one test of ten, or of five hundred, that goes from 5 of 5 to 0 of 5, where Fisher's exact test with Holm's correction finds none", () => {
    expect(five(5, 0).p * 10).toBeGreaterThan(0.05);
    expect(significantTests([five(5, 0), ...times(9, five(5, 5))], 0.03)).toEqual([0]);
    expect(significantTests([five(5, 0), ...times(9, five(5, 4))], 0.03)).toEqual([0]);
    expect(significantTests([...times(499, five(5, 5)), five(0, 5)], 0.03)).toEqual([499]);
  });

  test("the step-up procedure for discrete tests names all ten tests when all ten break", () => {
    expect(significantTests(times(10, five(5, 0)), 0.03)).toHaveLength(10);
  });

  test("the step-up procedure for discrete tests finds nothing in tests without a difference, and nothing without tests", () => {
    expect(significantTests(times(10, five(3, 3)), 0.05)).toEqual([]);
    expect(significantTests([], 0.05)).toEqual([]);
  });

  const anyTests = fc.array(
    anyStratum.map((one) => exactTest([one])),
    { maxLength: 12 },
  );

  test("the step-up procedure for discrete tests rejects the smallest values of the tests that can reach the level", () => {
    fc.assert(
      fc.property(anyTests, fc.constantFrom(0.03, 0.05, 0.2), (tests, level) => {
        const significant = significantTests(tests, level);
        const largest = Math.max(...significant.map((index) => tests[index]!.p));
        for (const [index, { p, attainable }] of tests.entries())
          expect(significant.includes(index)).toBe(p <= largest && attainable[0]! <= level);
      }),
    );
  });

  test("the step-up procedure for discrete tests rejects all that Bonferroni's correction rejects", () => {
    fc.assert(
      fc.property(anyTests, (tests) => {
        const significant = significantTests(tests, 0.05);
        for (const [index, { p }] of tests.entries())
          if (p <= 0.045 / tests.length) expect(significant).toContain(index);
      }),
    );
  });

  test("the step-up procedure for discrete tests is wrong in at most the level of all outcomes of equal groups, counted exactly", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.tuple(fc.integer({ min: 1, max: 10 }), fc.constant(5)).map(([hits]) => hits),
          { minLength: 1, maxLength: 3 },
        ),
        (totals) => {
          // Tries every combination of outcomes with these totals, weighted by its probability.
          let wrong = 0;
          const visit = (chosen: ReturnType<typeof five>[], probability: number): void => {
            const total = totals[chosen.length];
            if (total === undefined) {
              if (significantTests(chosen, 0.1).length > 0) wrong += probability;
              return;
            }
            for (let after = Math.max(0, total - 5); after <= Math.min(5, total); after++)
              visit(
                [...chosen, five(total - after, after)],
                (probability * choose(5, after) * choose(5, total - after)) / choose(10, total),
              );
          };
          visit([], 1);
          expect(wrong).toBeLessThanOrEqual(0.1 + 1e-9);
        },
      ),
      { numRuns: 40 },
    );
  });
});

/** Counts by brute force, for each total of successes in the second groups, the exchanges of results that give this total. */
function bruteSums(strata: readonly Stratum[]): Map<number, number> {
  return strata.reduce(
    (sums, { first, second }) => {
      const results = [
        ...Array.from({ length: first.count }, (_, index) => index < first.hits),
        ...Array.from({ length: second.count }, (_, index) => index < second.hits),
      ];
      const next = new Map<number, number>();
      for (let choice = 0; choice < 2 ** results.length; choice++) {
        const chosen = results.filter((_, index) => (choice >> index) & 1);
        if (chosen.length !== second.count) continue;
        const hits = chosen.filter(Boolean).length;
        for (const [sum, ways] of sums) next.set(sum + hits, (next.get(sum + hits) ?? 0) + ways);
      }
      return next;
    },
    new Map([[0, 1]]),
  );
}

function choose(count: number, chosen: number): number {
  let ways = 1;
  for (let i = 0; i < chosen; i++) ways = (ways * (count - i)) / (i + 1);
  return ways;
}
