/**
 * Decoded spans as columns: what the decoders write and the loader reads. Fixed-width columns lie side by side in one
 * buffer; text lies in one UTF-8 heap, where a row holds its offset and length, so rows may share a text and a batch
 * crosses to the loader thread without a copy.
 */
export const FIXED_COLUMNS = {
  trace_id: 16, // little-endian number: the id's bytes reversed
  span_id: 8, // little-endian number: the id's bytes reversed
  parent_span_id: 8, // 0 = none
  start_ns: 8, // int64, Unix time
  end_ns: 8, // int64, 0 = not ended
  received_ms: 8, // float64, Unix time
  lsn: 8, // float64, the journal record that brought the span
  segment: 8, // float64, the journal segment that holds the record
  position: 4, // of the record in its segment, in bytes
  project: 4, // projects.number of the relational store
  flags: 4,
  dropped_attributes: 4,
  dropped_events: 4,
  dropped_links: 4,
  origin: 4, // index into the batch's origins
  kind: 1,
  status: 1, // 0 unset, 1 ok, 2 error
  conversation_rank: 1, // index in CONVERSATION_KEYS of the key that named the conversation, 255 = none
} as const;

/** `attributes` is a JSON object, `events` and `links` are JSON arrays. */
export const TEXT_COLUMNS = [
  "name",
  "status_message",
  "trace_state",
  "conversation",
  "agent",
  "service",
  "attributes",
  "events",
  "links",
] as const;

export type FixedColumn = keyof typeof FIXED_COLUMNS;
export type TextColumn = (typeof TEXT_COLUMNS)[number];

/** The length of a text that is missing (SQL NULL). */
export const NO_TEXT = 0xffff_ffff;

/** The resource and the scope that spans share, each as JSON text. */
type Origin = { resource: string; scope: string };

/** A batch as it crosses between threads; transfer `fixed`, `text` and `heap`. */
export type SealedBatch = {
  rows: number;
  capacity: number;
  heapUsed: number;
  lastLsn: number;
  fixed: ArrayBuffer;
  text: ArrayBuffer;
  heap: ArrayBuffer;
  origins: Origin[];
};

const ROW_BYTES = Object.values(FIXED_COLUMNS).reduce((sum, width) => sum + width, 0);
const WIDTHS = Object.entries(FIXED_COLUMNS) as [FixedColumn, number][];
/** Numbers that a row has in `text`: an offset and a length for each text column. */
export const TEXT_SLOTS = TEXT_COLUMNS.length * 2;

export class SpanBatch {
  rows = 0;
  heapUsed = 0;
  lastLsn = 0;
  origins: Origin[] = [];
  capacity: number;
  heap: Buffer;
  columns: SpanColumns;
  #fixed: ArrayBuffer;
  #offsets: Uint32Array<ArrayBuffer>;

  constructor(capacity = 1024, heapBytes = 1 << 20) {
    this.capacity = capacity;
    this.heap = Buffer.allocUnsafeSlow(heapBytes);
    this.#fixed = new ArrayBuffer(capacity * ROW_BYTES);
    this.#offsets = new Uint32Array(capacity * TEXT_SLOTS);
    this.columns = typed(views(this.#fixed, capacity));
  }

  /** What its buffers take, be they filled or not. */
  get bytes(): number {
    return this.#fixed.byteLength + this.#offsets.byteLength + this.heap.length;
  }

  /** A zeroed row with no texts; the caller fills it, or takes it back with `truncate`. */
  addRow(): number {
    if (this.rows === this.capacity) this.#growRows();
    const row = this.rows++;
    const columns = this.columns;
    columns.trace_id[row * 4] = 0;
    columns.trace_id[row * 4 + 1] = 0;
    columns.trace_id[row * 4 + 2] = 0;
    columns.trace_id[row * 4 + 3] = 0;
    columns.span_id[row * 2] = 0;
    columns.span_id[row * 2 + 1] = 0;
    columns.parent_span_id[row * 2] = 0;
    columns.parent_span_id[row * 2 + 1] = 0;
    columns.start_ns[row * 2] = 0;
    columns.start_ns[row * 2 + 1] = 0;
    columns.end_ns[row * 2] = 0;
    columns.end_ns[row * 2 + 1] = 0;
    columns.received_ms[row] = 0;
    columns.lsn[row] = 0;
    columns.segment[row] = 0;
    columns.position[row] = 0;
    columns.project[row] = 0;
    columns.flags[row] = 0;
    columns.dropped_attributes[row] = 0;
    columns.dropped_events[row] = 0;
    columns.dropped_links[row] = 0;
    columns.origin[row] = 0;
    columns.kind[row] = 0;
    columns.status[row] = 0;
    columns.conversation_rank[row] = 0;
    for (let slot = row * TEXT_SLOTS; slot < (row + 1) * TEXT_SLOTS; slot++) this.#offsets[slot] = NO_TEXT;
    return row;
  }

  /** Says where the record lies that brought the rows from `from` to `to`. */
  locate(from: number, to: number, { segment, position }: Place): void {
    this.columns.segment.fill(segment, from, to);
    this.columns.position.fill(position, from, to);
  }

  setText(row: number, column: number, offset: number, length: number): void {
    const slot = row * TEXT_SLOTS + column * 2;
    this.#offsets[slot] = offset;
    this.#offsets[slot + 1] = length;
  }

  /** Makes room for `bytes` more in the heap; `heap` may be another buffer afterwards. */
  reserve(bytes: number): void {
    const needed = this.heapUsed + bytes;
    if (needed <= this.heap.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(needed, this.heap.length * 2));
    this.heap.copy(grown, 0, 0, this.heapUsed);
    this.heap = grown;
  }

  mark(): BatchMark {
    return { rows: this.rows, heapUsed: this.heapUsed, lastLsn: this.lastLsn, origins: this.origins.length };
  }

  truncate(to: BatchMark): void {
    this.rows = to.rows;
    this.heapUsed = to.heapUsed;
    this.lastLsn = to.lastLsn;
    this.origins.length = to.origins;
  }

  /** The batch to hand over; this object must not be used afterwards. */
  seal(): SealedBatch {
    return {
      rows: this.rows,
      capacity: this.capacity,
      heapUsed: this.heapUsed,
      lastLsn: this.lastLsn,
      fixed: this.#fixed,
      text: this.#offsets.buffer,
      heap: this.heap.buffer as ArrayBuffer,
      origins: this.origins,
    };
  }

  #growRows(): void {
    const capacity = this.capacity * 2;
    const fixed = new ArrayBuffer(capacity * ROW_BYTES);
    const from = views(this.#fixed, this.capacity);
    const to = views(fixed, capacity);
    for (const [name, width] of WIDTHS) bytes(to[name]).set(bytes(from[name]).subarray(0, this.rows * width));
    const offsets = new Uint32Array(capacity * TEXT_SLOTS);
    offsets.set(this.#offsets);
    this.capacity = capacity;
    this.#fixed = fixed;
    this.columns = typed(to);
    this.#offsets = offsets;
  }
}

/** Where a journal record lies: its segment, named by the first record's number, and the byte where it begins. */
export type Place = { segment: number; position: number };

export type BatchMark = { rows: number; heapUsed: number; lastLsn: number; origins: number };

/** The columns as their writer sees them; 64-bit numbers as two words each, the low one first. */
type SpanColumns = ReturnType<typeof typed>;

const words = (view: DataView<ArrayBuffer>) => new Uint32Array(view.buffer, view.byteOffset, view.byteLength / 4);
const doubles = (view: DataView<ArrayBuffer>) => new Float64Array(view.buffer, view.byteOffset, view.byteLength / 8);
const bytes = (view: DataView<ArrayBuffer>) => new Uint8Array(view.buffer, view.byteOffset, view.byteLength);

function typed(of: Record<FixedColumn, DataView<ArrayBuffer>>) {
  return {
    trace_id: words(of.trace_id),
    span_id: words(of.span_id),
    parent_span_id: words(of.parent_span_id),
    start_ns: words(of.start_ns),
    end_ns: words(of.end_ns),
    received_ms: doubles(of.received_ms),
    lsn: doubles(of.lsn),
    segment: doubles(of.segment),
    position: words(of.position),
    project: words(of.project),
    flags: words(of.flags),
    dropped_attributes: words(of.dropped_attributes),
    dropped_events: words(of.dropped_events),
    dropped_links: words(of.dropped_links),
    origin: words(of.origin),
    kind: bytes(of.kind),
    status: bytes(of.status),
    conversation_rank: bytes(of.conversation_rank),
  } satisfies Record<FixedColumn, unknown>;
}

/** One view per fixed column over a buffer that holds them one after another, `capacity` rows each. */
export function views(fixed: ArrayBuffer, capacity: number): Record<FixedColumn, DataView<ArrayBuffer>> {
  let offset = 0;
  const cut = ([name, width]: [FixedColumn, number]) => {
    const view = new DataView(fixed, offset, capacity * width);
    offset += capacity * width;
    return [name, view];
  };
  return Object.fromEntries(WIDTHS.map(cut)) as Record<FixedColumn, DataView<ArrayBuffer>>;
}
