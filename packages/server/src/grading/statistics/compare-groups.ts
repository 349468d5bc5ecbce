import { minimumSampleCount } from "../../traces/measures/percentile.ts";
import { exactTest, type ExactTest } from "./exact-test.ts";
import { permutationTest, ratioOf, type Share } from "./permutation-test.ts";
import { type Interval, wilson } from "./statistics.ts";

export type Values = readonly number[];

/** What is compared between two groups of conversations. A conversation without a sample is left out. */
export type Quantity =
  | { kind: "p50" | "p95" | "mean"; first: readonly Values[]; second: readonly Values[] }
  | { kind: "rate"; first: readonly Share[]; second: readonly Share[] };

/** Result for one group. The value is null if there are too few samples. */
export type GroupSide = { value: number | null; n: number; hits: number | null; conversations: number };

export type ComparedGroups = {
  first: GroupSide;
  second: GroupSide;
  difference: number | null; // second minus first
  interval: Interval | null; // 95 percent interval of the difference
  test: Pick<ExactTest, "p" | "attainable"> | null; // null if there are too few conversations or samples
};

/** Smallest number of conversations with a sample in each group for a statistical test. */
export const CONVERSATIONS_MIN = 10;

const Z_95 = 1.959963984540054;

/** Compares two groups of conversations. The unit is the whole conversation, because samples of one conversation resemble each other. */
export function* compareGroups(quantity: Quantity, seed: string): Generator<void, ComparedGroups> {
  const [first, second] =
    quantity.kind === "rate"
      ? [rateSide(quantity.first), rateSide(quantity.second)]
      : [valueSide(quantity.first, quantity.kind), valueSide(quantity.second, quantity.kind)];
  yield;
  const [one, other] = [first.side, second.side];
  const difference = one.value === null || other.value === null ? null : other.value - one.value;
  const areEnough = Math.min(one.conversations, other.conversations) >= CONVERSATIONS_MIN;
  if (difference === null || !areEnough) return { first: one, second: other, difference, interval: null, test: null };
  const test = yield* testOf(quantity, seed);
  return { first: one, second: other, difference, interval: intervalOf(first, second, difference), test };
}

function* testOf(quantity: Quantity, seed: string): Generator<void, Pick<ExactTest, "p" | "attainable">> {
  if (quantity.kind === "rate") {
    const all = [...quantity.first, ...quantity.second];
    if (all.every(({ whole }) => whole === 1))
      return exactTest([{ first: hitsOf(quantity.first), second: hitsOf(quantity.second) }]);
    return yield* permutationTest(quantity.first, quantity.second, seed);
  }
  const sharesOf = quantity.kind === "mean" ? meanShare : beyondShare(quantileOfAll(quantity, Q[quantity.kind]));
  yield;
  return yield* permutationTest(quantity.first.map(sharesOf), quantity.second.map(sharesOf), seed);
}

const Q = { p50: 0.5, p95: 0.95 } as const;

const hitsOf = (shares: readonly Share[]) => ({
  hits: shares.reduce((sum, { part }) => sum + part, 0),
  count: shares.reduce((sum, { whole }) => sum + whole, 0),
});

const meanShare = (values: Values): Share => ({
  part: values.reduce((sum, value) => sum + value, 0),
  whole: values.length,
});

const beyondShare =
  (limit: number) =>
  (values: Values): Share => ({
    part: values.reduce((sum, value) => sum + Number(value > limit), 0),
    whole: values.length,
  });

const quantileOfAll = ({ first, second }: { first: readonly Values[]; second: readonly Values[] }, q: number) =>
  nearestRank(Float64Array.from([...first, ...second].flat()).sort(), q);

/** Returns the smallest value that is not exceeded by at least the share `q` of the sorted values. */
const nearestRank = (sorted: Float64Array, q: number): number =>
  sorted[Math.min(sorted.length, Math.max(1, Math.ceil(sorted.length * q - 1e-9))) - 1]!;

type EstimatedSide = { side: GroupSide; interval: Interval };

function rateSide(shares: readonly Share[]): EstimatedSide {
  const { hits, count } = hitsOf(shares);
  const side = { value: count === 0 ? null : hits / count, n: count, hits, conversations: shares.length };
  if (count === 0) return { side, interval: { low: 0, high: 1 } };
  const { ratio, error } = ratioOf(shares);
  // Hits of one conversation resemble each other. The interval therefore uses a smaller, effective number of samples.
  const worth = error === 0 ? shares.length : Math.min(count, (ratio * (1 - ratio)) / (error * error));
  return { side, interval: wilson(ratio * worth, worth)! };
}

function valueSide(conversations: readonly Values[], kind: "p50" | "p95" | "mean"): EstimatedSide {
  const sorted = Float64Array.from(conversations.flat()).sort();
  const n = sorted.length;
  const sideOf = (value: number | null): GroupSide => ({ value, n, hits: null, conversations: conversations.length });
  const unknown = { side: sideOf(null), interval: { low: Number.NaN, high: Number.NaN } };
  if (n === 0) return unknown;
  const z = quantileOfT(conversations.length - 1);
  if (kind === "mean") {
    const { ratio, error } = ratioOf(conversations.map(meanShare));
    return { side: sideOf(ratio), interval: { low: ratio - z * error, high: ratio + z * error } };
  }
  const q = Q[kind];
  if (n < minimumSampleCount(100 * q)) return unknown;
  const value = nearestRank(sorted, q);
  // First, the interval of the share of samples above the value is computed. It is then converted to an interval of the value (Woodruff
  // 1952).
  const { error } = ratioOf(conversations.map(beyondShare(value)));
  return {
    side: sideOf(value),
    interval: { low: nearestRank(sorted, q - z * error), high: nearestRank(sorted, Math.min(1, q + z * error)) },
  };
}

/** Returns the approximate 97.5 percent quantile of Student's t distribution (Cornish and Fisher). */
const quantileOfT = (degrees: number): number => Z_95 + (Z_95 ** 3 + Z_95) / (4 * Math.max(1, degrees));

/** Returns the interval of the difference, computed from the intervals of both groups (MOVER, Zou and Donner 2008). */
function intervalOf(first: EstimatedSide, second: EstimatedSide, difference: number): Interval {
  const [one, other] = [first.side.value!, second.side.value!];
  return {
    low: difference - Math.hypot(other - second.interval.low, first.interval.high - one),
    high: difference + Math.hypot(second.interval.high - other, one - first.interval.low),
  };
}
