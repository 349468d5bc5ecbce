/** Sorted runs of values inside `lists`. `places` has three numbers for each run: the index of its list, its start and its end there. */
export type SortedRuns = { lists: readonly Float64Array[]; places: readonly number[] };

/** Up to this many values are copied, and the result is selected from the copy. */
const COPIED_MAX = 512;
/** About this many runs are read to estimate a value near the wanted rank. */
const ESTIMATED_FROM = 7;
/** The candidates are divided at an estimated value, usually about four times. After this many divisions, the remaining ones are copied. */
const DIVISIONS_MAX = 40;

type Candidates = { values: readonly Float64Array[]; starts: Int32Array; ends: Int32Array; count: number };

/**
 * Returns the values that would be at `ranks` if all runs were sorted together. The ranks must ascend. The time grows linearly
 * with the number of runs, but only logarithmically with their length.
 */
export function selectRanks(runs: SortedRuns, ranks: readonly number[]): number[] {
  const all = candidatesOf(runs);
  if (all.count > COPIED_MAX)
    return ranks.map((rank) => selectAmong({ ...all, starts: all.starts.slice(), ends: all.ends.slice() }, rank));
  const values = copyOf(all);
  return ranks.map((rank, at) => selectRank(values, rank, ranks[at - 1]));
}

function candidatesOf({ lists, places }: SortedRuns): Candidates {
  const runs = places.length / 3;
  const values = Array<Float64Array>(runs);
  const [starts, ends] = [new Int32Array(runs), new Int32Array(runs)];
  let count = 0;
  for (let run = 0; run < runs; run++) {
    values[run] = lists[places[run * 3]!]!;
    starts[run] = places[run * 3 + 1]!;
    ends[run] = places[run * 3 + 2]!;
    count += ends[run]! - starts[run]!;
  }
  return { values, starts, ends, count };
}

/** Returns the value at `rank`: first narrows the candidates to values near it. */
function selectAmong(among: Candidates, rank: number): number {
  const middles = new Int32Array(among.starts.length);
  let wanted = rank;
  for (let division = 0; among.count > COPIED_MAX && division < DIVISIONS_MAX; division++) {
    const bound = estimate(among, wanted / among.count);
    let before = divide(among, middles, placeFrom, bound);
    if (before === 0) {
      // No candidate is below the bound, so the bound is the smallest candidate.
      before = divide(among, middles, placeAbove, bound);
      if (wanted < before) return bound;
    }
    if (wanted < before) {
      among.ends.set(middles);
      among.count = before;
    } else {
      among.starts.set(middles);
      among.count -= before;
      wanted -= before;
    }
  }
  return selectRank(copyOf(among), wanted);
}

/** Writes the position of the bound in each run to `middles`. Returns the number of candidates before these positions. */
function divide(
  { values, starts, ends }: Candidates,
  middles: Int32Array,
  placeOf: typeof placeFrom,
  bound: number,
): number {
  let before = 0;
  for (let run = 0; run < starts.length; run++) {
    const start = starts[run]!;
    const place = placeOf(values[run]!, start, ends[run]!, bound);
    middles[run] = place;
    before += place - start;
  }
  return before;
}

function estimate({ values, starts, ends }: Candidates, share: number): number {
  const near: number[] = [];
  const step = Math.ceil(starts.length / ESTIMATED_FROM);
  for (let first = 0; near.length === 0; first++) {
    for (let run = first; run < starts.length; run += step) {
      const [start, end] = [starts[run]!, ends[run]!];
      if (end > start) near.push(values[run]![start + Math.floor(share * (end - start))]!);
    }
  }
  return near.sort((a, b) => a - b)[near.length >> 1]!;
}

function copyOf({ values, starts, ends, count }: Candidates): Float64Array {
  const copy = new Float64Array(count);
  let filled = 0;
  for (let run = 0; run < starts.length; run++) {
    const ofRun = values[run]!;
    for (let at = starts[run]!; at < ends[run]!; at++) copy[filled++] = ofRun[at]!;
  }
  return copy;
}

function placeFrom(values: Float64Array, start: number, end: number, bound: number): number {
  let [low, high] = [start, end];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle]! < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}

function placeAbove(values: Float64Array, start: number, end: number, bound: number): number {
  let [low, high] = [start, end];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle]! <= bound) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** With fewer values than this, a sample costs more time than it saves. */
const SAMPLED_MIN = 600;
/** Selection usually needs about ten iterations. After this many iterations, the remaining values are sorted. */
const ROUNDS_MAX = 50;

/**
 * Returns the value that would be at `rank` if the values were sorted. Moves smaller values before that rank and larger values after
 * it (algorithm of Floyd and Rivest). No value before index `from` may be larger than a value at or after `from`.
 */
function selectRank(values: Float64Array, rank: number, from = 0): number {
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
      // Puts a value at `rank` that is probably close to the wanted value, because it has the corresponding rank in a sample.
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
