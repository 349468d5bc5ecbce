type Share = { hits: number; count: number };

/** Results of two groups in the same task. */
export type Stratum = { first: Share; second: Share };

/** `attainable` contains every p value that is possible for the same totals, in ascending order. */
export type ExactTest = { p: number; attainable: readonly number[]; expected: number; observed: number };

/** Probabilities that differ by at most this factor count as equal, because they are rounded. */
const EQUAL_UP_TO = 1 + 1e-7;

/**
 * Tests whether two groups have the same probability of a hit in every stratum. Given the total hits of each stratum, the sum of the second
 * group's hits has an exact distribution. It is the convolution of hypergeometric distributions (Mantel and Haenszel 1959; Gart 1970). The
 * p value is the probability of all sums that are at most as probable as the observed sum. With one stratum, this is Fisher's exact test.
 */
export function exactTest(strata: readonly Stratum[]): ExactTest {
  let probabilities = Float64Array.of(1);
  let least = 0;
  let observed = 0;
  let expected = 0;
  for (const { first, second } of strata) {
    const hits = first.hits + second.hits;
    const count = first.count + second.count;
    observed += second.hits;
    expected += count === 0 ? 0 : (hits * second.count) / count;
    least += Math.max(0, hits - first.count);
    probabilities = convolution(probabilities, hypergeometric(first.count, second.count, hits));
  }
  const attainable: number[] = [];
  const order = [...probabilities.keys()].sort((a, b) => probabilities[a]! - probabilities[b]!);
  const pOf = new Float64Array(probabilities.length);
  let below = 0;
  for (let from = 0; from < order.length;) {
    let to = from;
    const limit = probabilities[order[from]!]! * EQUAL_UP_TO;
    while (to < order.length && probabilities[order[to]!]! <= limit) below += probabilities[order[to++]!]!;
    const p = to === order.length ? 1 : Math.min(1, below);
    for (; from < to; from++) pOf[order[from]!] = p;
    attainable.push(p);
  }
  return { p: pOf[observed - least]!, attainable, expected, observed };
}

/** Returns the probability of each number of hits in the second group, beginning with the smallest possible number. */
function hypergeometric(firstCount: number, secondCount: number, hits: number): Float64Array<ArrayBuffer> {
  const least = Math.max(0, hits - firstCount);
  const most = Math.min(secondCount, hits);
  const logTotal = logChoose(firstCount + secondCount, hits);
  return Float64Array.from({ length: most - least + 1 }, (_, index) => {
    const inSecond = least + index;
    return Math.exp(logChoose(secondCount, inSecond) + logChoose(firstCount, hits - inSecond) - logTotal);
  });
}

function convolution(one: Float64Array<ArrayBuffer>, other: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  if (other.length === 1) return one;
  const sums = new Float64Array(one.length + other.length - 1);
  for (let i = 0; i < one.length; i++) for (let j = 0; j < other.length; j++) sums[i + j]! += one[i]! * other[j]!;
  return sums;
}

const LOG_FACTORIALS = [0];

function logChoose(count: number, chosen: number): number {
  while (LOG_FACTORIALS.length <= count) LOG_FACTORIALS.push(LOG_FACTORIALS.at(-1)! + Math.log(LOG_FACTORIALS.length));
  return LOG_FACTORIALS[count]! - LOG_FACTORIALS[chosen]! - LOG_FACTORIALS[count - chosen]!;
}
