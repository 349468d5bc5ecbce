import type { ExactTest } from "./exact-test.ts";

type DiscreteTest = Pick<ExactTest, "p" | "attainable">;

/** Returns whether any outcome with the totals of the test could be significant at the level. */
export const canReach = ({ attainable }: DiscreteTest, level: number): boolean => attainable[0]! <= level;

/**
 * Returns the indexes of the significant tests. The expected share of false positives among them is at most `level`. If no test has a real
 * difference, the probability of any significant test is at most `level` too. This is the step-up procedure for discrete tests of Döhler,
 * Durand and Roquain (2018), "New FDR bounds for discrete and heterogeneous tests". It uses only tests that can reach the level at all
 * (Tarone 1990; Gilbert 2005). This selection depends only on the totals of the tests. It does not bias the tests, because they are
 * conditional on their totals.
 */
export function significantTests(tests: readonly DiscreteTest[], level: number): number[] {
  const reaching = [...tests.entries()].filter(([, test]) => canReach(test, level));
  const largest = largestCritical(
    reaching.map(([, test]) => test),
    level,
  );
  if (largest === undefined) return [];
  const factors = reaching.map(([, test]) => 1 / (1 - chanceOf(test, largest)));
  const sumAt = (p: number) => reaching.reduce((sum, [, test], index) => sum + chanceOf(test, p) * factors[index]!, 0);
  const ordered = reaching.map(([, { p }]) => p).sort((a, b) => a - b);
  const last = ordered.findLast((p, index) => p <= largest && sumAt(p) <= level * (index + 1));
  return last === undefined ? [] : reaching.filter(([, { p }]) => p <= last).map(([index]) => index);
}

/** Returns the largest p value that is significant when all tests are significant; undefined if no test can be significant. */
function largestCritical(tests: readonly DiscreteTest[], level: number): number | undefined {
  return criticalValues(tests, level).at(-1);
}

/**
 * Returns the critical values of the step-down procedure of Döhler, Durand and Roquain, one for each rank. Returns fewer if no p value is
 * small enough.
 */
export function criticalValues(tests: readonly DiscreteTest[], level: number): number[] {
  const candidates = [...new Set(tests.flatMap(({ attainable }) => attainable))].sort((a, b) => a - b);
  const sums = candidates.map((p) =>
    tests.reduce((sum, test) => {
      const chance = chanceOf(test, p);
      return sum + chance / (1 - chance);
    }, 0),
  );
  return tests.flatMap((_, index) => {
    const at = sums.findLastIndex((sum) => sum <= level * (index + 1));
    return at < 0 ? [] : [candidates[at]!];
  });
}

/** Returns the probability of a p value of at most `p` if there is no difference: the largest attainable value up to `p`. */
function chanceOf({ attainable }: DiscreteTest, p: number): number {
  let [low, high] = [0, attainable.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (attainable[middle]! <= p) low = middle + 1;
    else high = middle;
  }
  return low === 0 ? 0 : attainable[low - 1]!;
}
