import { NO_TEXT, type SpanBatch, TEXT_COLUMNS, TEXT_SLOTS, type TextColumn } from "../span-batch.ts";

/** The parts of a span that are in its body but not in the tables; `statusMessage` is text, other strings are JSON. */
export type SpanDetails = {
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

/** Indexes the spans of a decoded body by their ids; of two with the same ids the first counts, as in the tables. */
export function spansOfBody(batch: SpanBatch): BodySpans {
  const { columns, origins } = batch;
  const sealed = batch.seal();
  const slots = new Uint32Array(sealed.text);
  const heap = Buffer.from(sealed.heap, 0, sealed.heapUsed);
  const rows = new Map<string, number>();
  for (let row = batch.rows - 1; row >= 0; row--) {
    const word = (of: Uint32Array, at: number) => BigInt(of[at]!);
    const ids = columns.trace_id;
    const traceId =
      (word(ids, row * 4 + 3) << 96n) |
      (word(ids, row * 4 + 2) << 64n) |
      (word(ids, row * 4 + 1) << 32n) |
      word(ids, row * 4);
    const spanId = (word(columns.span_id, row * 2 + 1) << 32n) | word(columns.span_id, row * 2);
    rows.set(`${traceId} ${spanId}`, row);
  }

  function textOf(row: number, column: TextColumn): string | null {
    const slot = row * TEXT_SLOTS + TEXT_COLUMNS.indexOf(column) * 2;
    const [offset, length] = [slots[slot]!, slots[slot + 1]!];
    return length === NO_TEXT ? null : heap.toString("utf8", offset, offset + length);
  }

  const originBytes = origins.reduce((sum, { resource, scope }) => sum + resource.length + scope.length, 0);

  return {
    bytes: sealed.fixed.byteLength + sealed.text.byteLength + sealed.heap.byteLength + originBytes,
    find(traceId, spanId) {
      const row = rows.get(`${traceId} ${spanId}`);
      if (row === undefined) return undefined;
      const origin = origins[columns.origin[row]!]!;
      return {
        kind: columns.kind[row]!,
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
