import {
  FIXED_COLUMNS,
  type FixedColumn,
  NO_TEXT,
  type SpanBatch,
  TEXT_COLUMNS,
  TEXT_SLOTS,
  type TextColumn,
  views,
} from "../../span-batch.ts";

/** The fixed-width columns that are sent with the same bytes as in the batch. */
const FIXED = {
  project: "UInt32",
  trace_id: "UInt128",
  span_id: "UInt64",
  parent_span_id: "UInt64",
  start_ns: "Int64",
  end_ns: "Int64",
  kind: "UInt8",
  status: "UInt8",
  conversation_rank: "UInt8",
} as const satisfies Partial<Record<FixedColumn, string>>;
const FIXED_NAMES = Object.keys(FIXED) as (keyof typeof FIXED)[];
const TEXTS = TEXT_COLUMNS.filter((column) => column !== "trace_state");
const ORIGINS = ["resource", "scope"] as const;

export const SPAN_COLUMNS = [...FIXED_NAMES, "received_us", ...TEXTS, ...ORIGINS] as const;

const COLUMN_BYTES = 64;
/** Largest number of bytes of a text's length, which the format encodes as a varint. */
const LENGTH_BYTES = 5;

/** A missing text becomes an empty text. */
export function nativeBlock(batch: SpanBatch): Buffer {
  const { rows, columns, capacity, origins } = batch;
  const sealed = batch.seal();
  const fixed = views(sealed.fixed, capacity);
  const slots = new Uint32Array(sealed.text);
  const shared = origins.map(({ resource, scope }) => ({ resource: textOf(resource), scope: textOf(scope) }));
  const rowBytes = FIXED_NAMES.reduce((sum, name) => sum + FIXED_COLUMNS[name], 8);
  let size = SPAN_COLUMNS.length * COLUMN_BYTES + rows * (rowBytes + TEXTS.length * LENGTH_BYTES);
  for (let row = 0; row < rows; row++) {
    const { resource, scope } = shared[columns.origin[row]!]!;
    size += resource.length + scope.length;
  }
  // Counts each text separately, because the texts of several rows can share bytes of the heap.
  for (const name of TEXTS) for (const [, length] of textsOf(name)) size += length;

  const block = Buffer.allocUnsafeSlow(size);
  let at = 0;
  const varint = (value: number): void => {
    for (; value > 127; value >>>= 7) block[at++] = (value & 127) | 128;
    block[at++] = value;
  };
  const put = (bytes: Uint8Array): void => {
    block.set(bytes, at);
    at += bytes.length;
  };
  const head = (name: string, type: string): void => {
    put(textOf(name));
    put(textOf(type));
  };

  varint(SPAN_COLUMNS.length);
  varint(rows);
  for (const name of FIXED_NAMES) {
    head(name, FIXED[name]);
    put(new Uint8Array(sealed.fixed, fixed[name].byteOffset, rows * FIXED_COLUMNS[name]));
  }
  head("received_us", "Int64");
  for (let row = 0; row < rows; row++) at = block.writeBigInt64LE(BigInt(columns.lsn[row]!), at);
  for (const name of TEXTS) {
    head(name, "String");
    for (const [offset, length] of textsOf(name)) {
      varint(length);
      at += batch.heap.copy(block, at, offset, offset + length);
    }
  }
  for (const part of ORIGINS) {
    head(part, "String");
    for (let row = 0; row < rows; row++) put(shared[columns.origin[row]!]![part]);
  }
  return block.subarray(0, at);

  function* textsOf(name: TextColumn): Generator<[offset: number, length: number]> {
    const first = TEXT_COLUMNS.indexOf(name) * 2;
    for (let slot = first, end = rows * TEXT_SLOTS; slot < end; slot += TEXT_SLOTS) {
      const length = slots[slot + 1]!;
      yield length === NO_TEXT ? [0, 0] : [slots[slot]!, length];
    }
  }
}

function textOf(text: string): Buffer {
  const bytes = Buffer.from(text);
  const length: number[] = [];
  let rest = bytes.length;
  for (; rest > 127; rest >>>= 7) length.push((rest & 127) | 128);
  return Buffer.concat([Buffer.from([...length, rest]), bytes]);
}
