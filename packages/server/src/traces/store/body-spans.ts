import { NO_TEXT, type SpanBatch, TEXT_COLUMNS, TEXT_SLOTS, type TextColumn } from "../span-batch.ts";

/** The parts of a span that are in its body but not in the tables; `statusMessage` is text, other strings are JSON. */
export type SpanDetails = {
  /** The span as its sender encoded it in protobuf, in place of its attributes, events and links. */
  message?: Buffer;
  kind: number;
  statusMessage: string | null;
  attributes: string | null;
  events: string | null;
  links: string | null;
  resource: string;
  scope: string;
  isLost?: true;
};

export type BodySpans = {
  /** The approximate memory of the details. */
  bytes: number;
  /** Returns the details of a span; undefined when the body has no such span. */
  find: (traceId: bigint, spanId: bigint) => SpanDetails | undefined;
};

/** The approximate memory of a span besides its texts. */
const ROW_BYTES = 150;

/**
 * Copies the spans of a decoded body, so that the batch can decode the next one; of two with the same ids the first counts, as in
 * the tables.
 */
export function spansOfBody(batch: SpanBatch, hasMessages = false): BodySpans {
  const { rows, columns } = batch;
  const sealed = batch.seal();
  const slots = new Uint32Array(sealed.text).slice(0, rows * TEXT_SLOTS);
  const heap = Buffer.from(sealed.heap.slice(0, sealed.heapUsed));
  const kinds = columns.kind.slice(0, rows);
  const originOf = columns.origin.slice(0, rows);
  const origins = [...batch.origins];
  const traceIds = new BigUint64Array(columns.trace_id.slice(0, rows * 4).buffer);
  const spanIds = new BigUint64Array(columns.span_id.slice(0, rows * 2).buffer);

  const traceIdOf = (row: number) => (traceIds[row * 2 + 1]! << 64n) | traceIds[row * 2]!;
  const rowOfSpan = new Map<bigint, number>();
  const otherRows = new Map<string, number>(); // the rows of spans whose id an earlier span of another trace has
  for (let row = rows - 1; row >= 0; row--) {
    const other = rowOfSpan.get(spanIds[row]!);
    if (other !== undefined) otherRows.set(`${traceIdOf(other)} ${spanIds[row]!}`, other);
    rowOfSpan.set(spanIds[row]!, row);
  }

  function rowOf(traceId: bigint, spanId: bigint): number | undefined {
    const row = rowOfSpan.get(spanId);
    if (row === undefined || traceIdOf(row) === traceId) return row;
    return otherRows.get(`${traceId} ${spanId}`);
  }

  function bytesOf(row: number, column: TextColumn): Buffer | null {
    const slot = row * TEXT_SLOTS + TEXT_COLUMNS.indexOf(column) * 2;
    const [offset, length] = [slots[slot]!, slots[slot + 1]!];
    return length === NO_TEXT ? null : heap.subarray(offset, offset + length);
  }

  function textOf(row: number, column: TextColumn): string | null {
    const slot = row * TEXT_SLOTS + TEXT_COLUMNS.indexOf(column) * 2;
    const [offset, length] = [slots[slot]!, slots[slot + 1]!];
    return length === NO_TEXT ? null : heap.toString("utf8", offset, offset + length);
  }

  const originBytes = origins.reduce((sum, { resource, scope }) => sum + resource.length + scope.length, 0);

  return {
    bytes: heap.length + slots.byteLength + rows * ROW_BYTES + originBytes,
    find(traceId, spanId) {
      const row = rowOf(traceId, spanId);
      if (row === undefined) return undefined;
      const origin = origins[originOf[row]!]!;
      return {
        ...(hasMessages && { message: bytesOf(row, "attributes")! }),
        kind: kinds[row]!,
        statusMessage: textOf(row, "status_message"),
        attributes: hasMessages ? null : textOf(row, "attributes"),
        events: textOf(row, "events"),
        links: textOf(row, "links"),
        resource: origin.resource,
        scope: origin.scope,
      };
    },
  };
}
