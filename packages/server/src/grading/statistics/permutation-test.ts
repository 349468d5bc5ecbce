import { seeded } from "../../base/seeded.ts";
import type { ExactTest } from "./exact-test.ts";

/**
 * Contribution of one conversation to a ratio: a part and its whole. The ratio of a group is the sum of the parts divided by the sum of the
 * wholes. Examples are failed calls by calls, or the sum of values by their number.
 */
export type Share = { part: number; whole: number };

/** The test ends early after this number of permutations with at least the observed difference. */
const EXCEEDING = 30;
const PERMUTATIONS = 4_999;

/** Every p value that a test can have, in ascending order. */
const ATTAINABLE: readonly number[] = [
  ...new Set([
    ...Array.from({ length: EXCEEDING }, (_, exceeding) => (exceeding + 1) / (PERMUTATIONS + 1)),
    ...Array.from({ length: PERMUTATIONS - EXCEEDING + 1 }, (_, more) => EXCEEDING / (EXCEEDING + more)),
  ]),
].sort((a, b) => a - b);

/**
 * Tests whether two groups of conversations have the same ratio, by permuting the conversations between the groups. It compares the
 * differences divided by their standard errors. The level of the test is then correct even if the groups differ in other ways (Janssen
 * 1997; Chung and Romano 2013). Whole conversations are permuted, because samples of one conversation resemble each other. The test ends
 * early if p is large (Besag and Clifford 1991). The same groups and seed always give the same p. Every whole must be positive.
 */
export function* permutationTest(
  first: readonly Share[],
  second: readonly Share[],
  seed: string,
): Generator<void, Pick<ExactTest, "p" | "attainable">> {
  const all = [...first, ...second];
  const [parts, wholes] = [Float64Array.from(all, ({ part }) => part), Float64Array.from(all, ({ whole }) => whole)];
  const order = Uint32Array.from(all.keys());
  // Only the smaller group is summed. The sums of the other group are the remainder.
  const isSecondSmaller = second.length < first.length;
  if (isSecondSmaller) order.reverse();
  const size = Math.min(first.length, second.length);
  const total = sumsOf(parts, wholes, order, all.length);

  function statistic(): number {
    const one = sumsOf(parts, wholes, order, size);
    return Math.abs(studentized(one, size, without(total, one), all.length - size));
  }

  const next = seeded(seed);
  // Allows for rounding: the same sum can be rounded differently in another order.
  const observed = statistic() * (1 - 1e-9);
  let exceeding = 0;
  for (let permutation = 1; permutation <= PERMUTATIONS; permutation++) {
    for (let at = 0; at < size; at++) {
      const other = at + Math.floor(next() * (all.length - at));
      const moved = order[at]!;
      order[at] = order[other]!;
      order[other] = moved;
    }
    if (statistic() >= observed) exceeding++;
    if (exceeding === EXCEEDING) return { p: EXCEEDING / permutation, attainable: ATTAINABLE };
    yield;
  }
  return { p: (exceeding + 1) / (PERMUTATIONS + 1), attainable: ATTAINABLE };
}

type Sums = { part: number; whole: number; partPart: number; partWhole: number; wholeWhole: number };

function sumsOf(parts: Float64Array, wholes: Float64Array, order: Uint32Array, count: number): Sums {
  let [part, whole, partPart, partWhole, wholeWhole] = [0, 0, 0, 0, 0];
  for (let at = 0; at < count; at++) {
    const index = order[at]!;
    const [a, b] = [parts[index]!, wholes[index]!];
    part += a;
    whole += b;
    partPart += a * a;
    partWhole += a * b;
    wholeWhole += b * b;
  }
  return { part, whole, partPart, partWhole, wholeWhole };
}

const without = (total: Sums, one: Sums): Sums => ({
  part: total.part - one.part,
  whole: total.whole - one.whole,
  partPart: total.partPart - one.partPart,
  partWhole: total.partWhole - one.partWhole,
  wholeWhole: total.wholeWhole - one.wholeWhole,
});

/** Returns the variance of a ratio over conversations, by linearization (Cochran 1977). */
function varianceOf({ part, whole, partPart, partWhole, wholeWhole }: Sums, count: number): number {
  const ratio = part / whole;
  const squares = partPart - 2 * ratio * partWhole + ratio * ratio * wholeWhole;
  return (Math.max(0, squares) / (whole * whole)) * (count / Math.max(1, count - 1));
}

function studentized(one: Sums, oneCount: number, other: Sums, otherCount: number): number {
  const difference = one.part / one.whole - other.part / other.whole;
  const variance = varianceOf(one, oneCount) + varianceOf(other, otherCount);
  if (Math.abs(difference) < 1e-12) return 0;
  return variance === 0 ? Number.MAX_VALUE * Math.sign(difference) : difference / Math.sqrt(variance);
}

export function ratioOf(shares: readonly Share[]): { ratio: number; error: number } {
  const order = Uint32Array.from(shares.keys());
  const parts = Float64Array.from(shares, ({ part }) => part);
  const sums = sumsOf(
    parts,
    Float64Array.from(shares, ({ whole }) => whole),
    order,
    shares.length,
  );
  return { ratio: sums.part / sums.whole, error: Math.sqrt(varianceOf(sums, shares.length)) };
}
