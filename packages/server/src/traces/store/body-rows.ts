import type { RecordAddress } from "../span-batch.ts";
import type { BodySpans, IndexRow } from "./body-spans.ts";
import { JSON_BYTES_MAX, jsonBytesOf, type SpanRow } from "./span-row.ts";

export const SPANS_MAX = 10_000;
/**
 * At most this many spans of a conversation are examined to find the earliest spans. The spans of the remaining bodies are only
 * counted.
 */
export const SPANS_LOOKED_MAX = 200_000;

const ERROR = 2;

/** `spans` is the number of the trace's spans in the body. */
export type TraceBody = { project: number; traceId: string; spans: number; receivedMs: number } & RecordAddress;

type ReadBody = (address: RecordAddress) => BodySpans | undefined;

type FoundRows = {
  rows: IndexRow[];
  total: number;
  errors: number;
  /** The number of spans whose body cannot be read. */
  lost: number;
};

/**
 * The bodies must be in the order of the journal. Yields before it reads each body. If a span occurs several times, the
 * first copy counts.
 */
export function* rowsOfBodies(bodies: readonly TraceBody[], readBody: ReadBody): Generator<undefined, FoundRows> {
  const rows: IndexRow[] = [];
  const bodiesOfTrace = Map.groupBy(bodies, ({ traceId }) => traceId);
  const seen = new Map<string, Set<bigint>>();
  let [total, errors, lost] = [0, 0, 0];

  function take(row: IndexRow): void {
    rows.push(row);
    total++;
    errors += Number(row.status === ERROR);
  }

  function keepEarliest(): void {
    rows.sort(byStart);
    if (rows.length > SPANS_MAX) rows.length = SPANS_MAX;
  }

  for (const { traceId, segment, position, spans } of bodies) {
    if (total >= SPANS_LOOKED_MAX) {
      total += spans;
      continue;
    }
    yield;
    const body = readBody({ segment, position });
    if (body === undefined) {
      lost += spans;
      continue;
    }
    const own = body.rowsOf(BigInt(`0x${traceId}`));
    if (bodiesOfTrace.get(traceId)!.length === 1) {
      for (const row of own) take(body.indexRow(row, { segment, position }));
    } else {
      const before = seen.get(traceId) ?? new Set();
      seen.set(traceId, before);
      for (const at of own) {
        const row = body.indexRow(at, { segment, position });
        if (before.has(row.span_id)) continue;
        before.add(row.span_id);
        take(row);
      }
    }
    if (rows.length > 4 * SPANS_MAX) keepEarliest();
  }
  keepEarliest();
  return { rows, total, errors, lost };
}

const byStart = (a: IndexRow, b: IndexRow): number =>
  compare(a.start_ns, b.start_ns) || compare(a.span_id, b.span_id) || compare(a.trace_id, b.trace_id);

const compare = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);

/**
 * Yields after each row. Reads all rows of one body before the next body, so that each body is decoded once. Returns
 * the mapped values in the order of the rows. If the details exceed `jsonBytesMax`, leaves out the last rows, but never
 * the first row.
 */
export function* withDetails<Value>(
  rows: readonly IndexRow[],
  readBody: ReadBody,
  map: (row: SpanRow) => Value,
  jsonBytesMax = JSON_BYTES_MAX,
): Generator<undefined, { values: Value[]; jsonBytes: number; truncated: boolean }> {
  const values: (Value | undefined)[] = Array.from({ length: rows.length });
  const bytes = new Float64Array(rows.length);
  let total = 0;
  let end = rows.length;
  for (const at of bodyOrder(rows)) {
    if (at >= end) continue;
    const row = rows[at]!;
    const body = readBody(row);
    if (body === undefined) throw new Error("a body of the journal disappeared while its spans were read");
    const details = body.details(row.row);
    values[at] = map({ ...row, ...details });
    total += bytes[at] = jsonBytesOf(details);
    while (total > jsonBytesMax && end > 1) {
      total -= bytes[--end]!;
      values.length = end;
    }
    yield;
  }
  return { values: values as Value[], jsonBytes: total, truncated: end < rows.length };
}

const bodyOrder = (rows: readonly IndexRow[]): number[] =>
  Array.from(rows.keys()).sort((one, other) => {
    const [a, b] = [rows[one]!, rows[other]!];
    return a.segment - b.segment || a.position - b.position || one - other;
  });
