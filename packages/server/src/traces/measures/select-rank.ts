/** Below this number of values, a sample of them does not pay. */
const SAMPLED_MIN = 600;
/** Selection takes about ten rounds; values that make it take this many are sorted. */
const ROUNDS_MAX = 50;

/**
 * Returns the value that a sort would place at `rank`, and moves smaller values before it and larger ones after it, by the
 * algorithm of Floyd and Rivest. No value before `from` may be larger than one after it.
 */
export function selectRank(values: Float64Array, rank: number, from = 0): number {
  select(values, rank, from, values.length - 1);
  return values[rank]!;
}

function select(values: Float64Array, rank: number, from: number, to: number): void {
  let [left, right] = [from, to];
  for (let round = 0; right > left; round++) {
    if (round === ROUNDS_MAX) {
      values.subarray(left, right + 1).sort();
      return;
    }
    const count = right - left + 1;
    if (count > SAMPLED_MIN) {
      // Makes the value at `rank` a bound that is close to the wanted one, by the rank in a sample.
      const place = rank - left + 1;
      const size = 0.5 * Math.exp((2 * Math.log(count)) / 3);
      const spread = 0.5 * Math.sqrt((Math.log(count) * size * (count - size)) / count) * Math.sign(place - count / 2);
      const first = Math.max(left, Math.floor(rank - (place * size) / count + spread));
      const last = Math.min(right, Math.floor(rank + ((count - place) * size) / count + spread));
      select(values, rank, first, last);
    }
    const bound = values[rank]!;
    let [low, high] = [left, right];
    while (low <= high) {
      while (values[low]! < bound) low++;
      while (values[high]! > bound) high--;
      if (low > high) break;
      const value = values[low]!;
      values[low++] = values[high]!;
      values[high--] = value;
    }
    if (rank <= high) right = high;
    else if (rank >= low) left = low;
    else return;
  }
}
