import type { IndexRow } from "./span-row.ts";

/** Rows as columns whose buffers move between threads without a copy. */
export type SpanIndex = {
  rows: number;
  /** Trace id in two halves, span id, parent's id or 0, start, end or `NO_END`. */
  ids: BigUint64Array;
  times: BigInt64Array;
  /** Project, segment, position, status. */
  numbers: Float64Array;
  names: (string | null)[];
};

const IDS = 4;
const TIMES = 2;
const NUMBERS = 4;
const HALF = 64n;
const LOW_HALF = (1n << HALF) - 1n;
const NO_END = -(1n << 63n);

export function indexOf(rows: readonly IndexRow[]): SpanIndex {
  const ids = new BigUint64Array(rows.length * IDS);
  const times = new BigInt64Array(rows.length * TIMES);
  const numbers = new Float64Array(rows.length * NUMBERS);
  for (const [at, row] of rows.entries()) {
    ids.set([row.trace_id >> HALF, row.trace_id & LOW_HALF, row.span_id, row.parent_span_id ?? 0n], at * IDS);
    times.set([row.start_ns, row.end_ns ?? NO_END], at * TIMES);
    numbers.set([row.project, Number(row.segment), row.position, row.status], at * NUMBERS);
  }
  return { rows: rows.length, ids, times, numbers, names: rows.map(({ name }) => name) };
}

/** Returns the buffers to transfer with the index. */
export const buffersOf = ({ ids, times, numbers }: SpanIndex): ArrayBuffer[] =>
  [ids, times, numbers].map(({ buffer }) => buffer as ArrayBuffer);

export function* rowsIn({ rows, ids, times, numbers, names }: SpanIndex): Generator<IndexRow> {
  for (let at = 0; at < rows; at++) {
    const [high, low, span, parent] = ids.subarray(at * IDS, (at + 1) * IDS) as unknown as [
      bigint,
      bigint,
      bigint,
      bigint,
    ];
    const [start, end] = times.subarray(at * TIMES, (at + 1) * TIMES) as unknown as [bigint, bigint];
    const [project, segment, position, status] = numbers.subarray(at * NUMBERS, (at + 1) * NUMBERS) as unknown as [
      number,
      number,
      number,
      number,
    ];
    yield {
      project,
      trace_id: (high << HALF) | low,
      span_id: span,
      parent_span_id: parent === 0n ? null : parent,
      start_ns: start,
      end_ns: end === NO_END ? null : end,
      status,
      name: names[at]!,
      segment: BigInt(segment),
      position,
    };
  }
}
