import type { FoundSpan } from "../otlp/body-messages.ts";
import {
  NO_TEXT,
  type RecordAddress,
  type SpanBatch,
  TEXT_COLUMNS,
  TEXT_SLOTS,
  type TextColumn,
} from "../span-batch.ts";
import type { StoredSpan } from "../stored-span.ts";

export type IndexRow = {
  project: number;
  trace_id: bigint;
  span_id: bigint;
  parent_span_id: bigint | null;
  start_ns: bigint;
  end_ns: bigint | null;
  status: number;
  name: string | null;
  segment: number;
  position: number;
  row: number;
};

/** `statusMessage` is plain text; the other strings are JSON. */
export type SpanDetails = {
  kind: number;
  statusMessage: string | null;
  attributes: string | null;
  events: string | null;
  links: string | null;
  resource: string;
  scope: string;
};

export type BodySpans = {
  /** Approximate memory of the details in bytes. */
  bytes: number;
  /** Returns the rows of a trace's spans, one row for each span id. */
  rowsOf: (traceId: bigint) => readonly number[];
  indexRow: (row: number, address: RecordAddress) => IndexRow;
  details: (row: number) => SpanDetails;
};

/** Approximate memory of a span in bytes, without its texts. */
const ROW_BYTES = 150;

export function spansOfBody(batch: SpanBatch): BodySpans {
  const { rows, columns } = batch;
  const sealed = batch.seal();
  const slots = new Uint32Array(sealed.text).slice(0, rows * TEXT_SLOTS);
  const heap = Buffer.from(sealed.heap.slice(0, sealed.heapUsed));
  const [kinds, statuses] = [columns.kind.slice(0, rows), columns.status.slice(0, rows)];
  const projects = columns.project.slice(0, rows);
  const originOf = columns.origin.slice(0, rows);
  const origins = [...batch.origins];
  const traceIds = new BigUint64Array(columns.trace_id.slice(0, rows * 4).buffer);
  const [spanIds, parentIds] = [columns.span_id, columns.parent_span_id].map(
    (words) => new BigUint64Array(words.slice(0, rows * 2).buffer),
  ) as [BigUint64Array, BigUint64Array];
  const [starts, ends] = [columns.start_ns, columns.end_ns].map(
    (words) => new BigInt64Array(words.slice(0, rows * 2).buffer),
  ) as [BigInt64Array, BigInt64Array];
  const traceIdOf = (row: number) => (traceIds[row * 2 + 1]! << 64n) | traceIds[row * 2]!;
  const rowsOfTrace = groupRows(rows, traceIdOf, (row) => spanIds[row]!);

  function textOf(row: number, column: TextColumn): string | null {
    const slot = row * TEXT_SLOTS + TEXT_COLUMNS.indexOf(column) * 2;
    const [offset, length] = [slots[slot]!, slots[slot + 1]!];
    return length === NO_TEXT ? null : heap.toString("utf8", offset, offset + length);
  }

  const originBytes = origins.reduce((sum, { resource, scope }) => sum + resource.length + scope.length, 0);

  return {
    bytes: heap.length + slots.byteLength + rows * ROW_BYTES + originBytes,
    rowsOf: (traceId) => rowsOfTrace.get(traceId) ?? [],
    indexRow: (row, { segment, position }) => ({
      project: projects[row]!,
      trace_id: traceIdOf(row),
      span_id: spanIds[row]!,
      parent_span_id: parentIds[row]! || null,
      start_ns: starts[row]!,
      end_ns: ends[row]! || null,
      status: statuses[row]!,
      name: textOf(row, "name"),
      segment,
      position,
      row,
    }),
    details(row) {
      const origin = origins[originOf[row]!]!;
      return {
        kind: kinds[row]!,
        statusMessage: textOf(row, "status_message"),
        attributes: textOf(row, "attributes"),
        events: textOf(row, "events"),
        links: textOf(row, "links"),
        resource: origin.resource,
        scope: origin.scope,
      };
    },
  };
}

/** A span is parsed only when it is read. */
export type BodyMessages = Pick<BodySpans, "bytes" | "rowsOf"> & {
  spanIdOf: (row: number) => bigint;
  bytesOf: (row: number) => number;
  parse: (row: number) => StoredSpan;
};

export function messagesOf(
  spans: readonly FoundSpan[],
  bodyBytes: number,
  parseMessage: (message: FoundSpan) => StoredSpan,
): BodyMessages {
  const rowsOfTrace = groupRows(
    spans.length,
    (row) => (spans[row]!.traceHigh << 64n) | spans[row]!.traceLow,
    (row) => spans[row]!.spanId,
  );
  return {
    bytes: bodyBytes + spans.length * ROW_BYTES,
    rowsOf: (traceId) => rowsOfTrace.get(traceId) ?? [],
    spanIdOf: (row) => spans[row]!.spanId,
    bytesOf: (row) => spans[row]!.to - spans[row]!.from,
    parse: (row) => parseMessage(spans[row]!),
  };
}

/** Of several spans with the same id, only the first row is in the result. */
function groupRows(
  rows: number,
  traceIdOf: (row: number) => bigint,
  spanIdOf: (row: number) => bigint,
): Map<bigint, number[]> {
  const groups = new Map<bigint, number[]>();
  const seen = new Map<bigint, Set<bigint>>();
  let last = -1n;
  let [own, spans]: [number[], Set<bigint>] = [[], new Set()];
  for (let row = 0; row < rows; row++) {
    const [traceId, spanId] = [traceIdOf(row), spanIdOf(row)];
    if (traceId !== last) {
      [own, spans] = [groups.get(traceId) ?? [], seen.get(traceId) ?? new Set()];
      groups.set(traceId, own);
      seen.set(traceId, spans);
      last = traceId;
    }
    if (spans.has(spanId)) continue;
    spans.add(spanId);
    own.push(row);
  }
  return groups;
}
