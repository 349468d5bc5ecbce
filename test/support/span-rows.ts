import { isUtf8 } from "node:buffer";
import {
  NO_TEXT,
  type SealedBatch,
  type SpanBatch,
  TEXT_COLUMNS,
  type TextColumn,
  views,
} from "../../packages/server/src/traces/span-batch.ts";

export type SpanRow = {
  trace_id: string;
  span_id: string;
  /** Null for a root span. */
  parent_span_id: string | null;
  start_ns: bigint;
  end_ns: bigint;
  received_ms: number;
  lsn: number;
  project: number;
  flags: number;
  dropped_attributes: number;
  dropped_events: number;
  dropped_links: number;
  kind: number;
  status: number;
  conversation_rank: number;
  resource: string;
  scope: string;
} & Record<TextColumn, string | null>;

/** Returns the rows of a batch as a reader sees them. */
export function readRows(batch: SpanBatch): SpanRow[] {
  return readSealed(batch.seal());
}

function readSealed(sealed: SealedBatch): SpanRow[] {
  const columns = views(sealed.fixed, sealed.capacity);
  const slots = new Uint32Array(sealed.text);
  const id = (view: DataView, row: number, width: number) =>
    Buffer.from(view.buffer as ArrayBuffer, view.byteOffset + row * width, width)
      .toReversed()
      .reduce((hex, byte) => hex + byte.toString(16).padStart(2, "0"), "");
  return Array.from({ length: sealed.rows }, (_, row) => {
    const parent = id(columns.parent_span_id, row, 8);
    const origin = sealed.origins[columns.origin.getUint32(row * 4, true)]!;
    const texts = TEXT_COLUMNS.map((name, column) => {
      const offset = slots[(row * TEXT_COLUMNS.length + column) * 2]!;
      const length = slots[(row * TEXT_COLUMNS.length + column) * 2 + 1]!;
      if (length === NO_TEXT) return [name, null];
      if (offset + length > sealed.heapUsed) throw new RangeError(`${name} of row ${row} is outside the heap`);
      const text = Buffer.from(sealed.heap, offset, length);
      if (!isUtf8(text)) throw new TypeError(`${name} of row ${row} is not UTF-8`);
      return [name, text.toString("utf8")];
    });
    return {
      trace_id: id(columns.trace_id, row, 16),
      span_id: id(columns.span_id, row, 8),
      parent_span_id: parent === "0".repeat(16) ? null : parent,
      start_ns: columns.start_ns.getBigInt64(row * 8, true),
      end_ns: columns.end_ns.getBigInt64(row * 8, true),
      received_ms: columns.received_ms.getFloat64(row * 8, true),
      lsn: columns.lsn.getFloat64(row * 8, true),
      project: columns.project.getUint32(row * 4, true),
      flags: columns.flags.getUint32(row * 4, true),
      dropped_attributes: columns.dropped_attributes.getUint32(row * 4, true),
      dropped_events: columns.dropped_events.getUint32(row * 4, true),
      dropped_links: columns.dropped_links.getUint32(row * 4, true),
      kind: columns.kind.getUint8(row),
      status: columns.status.getUint8(row),
      conversation_rank: columns.conversation_rank.getUint8(row),
      resource: origin.resource,
      scope: origin.scope,
      ...Object.fromEntries(texts),
    } as SpanRow;
  });
}
