/**
 * Widths in bytes. The columns share one buffer. All texts are in one UTF-8 heap, and each row has the offset and the
 * length of its texts in the heap. Rows can therefore share a text. A message transfers the buffers of a batch to
 * another thread without a copy.
 */
export const FIXED_COLUMNS = {
  trace_id: 16, // little-endian number: the id's bytes reversed
  span_id: 8, // little-endian number: the id's bytes reversed
  parent_span_id: 8, // 0 = no parent
  start_ns: 8, // int64, Unix time
  end_ns: 8, // int64, 0 = not ended
  received_ms: 8, // float64, Unix time
  lsn: 8, // float64, the number of the journal record
  segment: 8, // float64, the journal segment that holds the record
  position: 4, // the byte offset of the record in its segment
  project: 4, // projects.number of the relational store
  flags: 4,
  dropped_attributes: 4,
  dropped_events: 4,
  dropped_links: 4,
  origin: 4, // index into the batch's origins
  kind: 1,
  status: 1, // 0 unset, 1 ok, 2 error
  conversation_rank: 1, // index in CONVERSATION_KEYS of the key that named the conversation, 255 = no key
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

export const NO_TEXT = 0xffff_ffff;

/** The resource and the scope of spans, as JSON. Many spans share one origin. */
type Origin = { resource: string; scope: string };

/** A batch for a message to another thread. The buffers `fixed`, `text` and `heap` are transferred, not copied. */
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
/** An offset and a length for each text column. */
export const TEXT_SLOTS = TEXT_COLUMNS.length * 2;

/** The decoders fill a batch, and the loader reads it. */
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
  /** The trace id that was converted last, because spans of one trace mostly follow each other. */
  #lastTrace: { words: Uint32Array; id: string } | undefined;

  constructor(capacity = 1024, heapBytes = 1 << 20) {
    this.capacity = capacity;
    this.heap = Buffer.allocUnsafeSlow(heapBytes);
    this.#fixed = new ArrayBuffer(capacity * ROW_BYTES);
    this.#offsets = new Uint32Array(capacity * TEXT_SLOTS);
    this.columns = typed(views(this.#fixed, capacity));
  }

  static opened({ rows, capacity, heapUsed, lastLsn, fixed, text, heap, origins }: SealedBatch): SpanBatch {
    const batch = new SpanBatch(0, 0);
    Object.assign(batch, { rows, capacity, heapUsed, lastLsn, origins, heap: Buffer.from(heap) });
    batch.#fixed = fixed;
    batch.#offsets = new Uint32Array(text);
    batch.columns = typed(views(fixed, capacity));
    return batch;
  }

  /** Includes the parts of the buffers that are not filled. */
  get bytes(): number {
    return this.#fixed.byteLength + this.#offsets.byteLength + this.heap.length;
  }

  /** Adds a row of zeros without texts and returns its index. `truncate` removes rows. */
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

  setAddress(from: number, to: number, { segment, position }: RecordAddress): void {
    this.columns.segment.fill(segment, from, to);
    this.columns.position.fill(position, from, to);
  }

  setText(row: number, column: number, offset: number, length: number): void {
    const slot = row * TEXT_SLOTS + column * 2;
    this.#offsets[slot] = offset;
    this.#offsets[slot + 1] = length;
  }

  textOf(row: number, column: TextColumn): string | null {
    const slot = row * TEXT_SLOTS + TEXT_COLUMNS.indexOf(column) * 2;
    const [offset, length] = [this.#offsets[slot]!, this.#offsets[slot + 1]!];
    return length === NO_TEXT ? null : this.heap.toString("utf8", offset, offset + length);
  }

  traceIdOf(row: number): string {
    const { trace_id: ids } = this.columns;
    const last = this.#lastTrace;
    if (last !== undefined && [0, 1, 2, 3].every((word) => ids[row * 4 + word] === last.words[word])) return last.id;
    const words = ids.slice(row * 4, row * 4 + 4);
    const id = Array.from(words, (word) => word.toString(16).padStart(8, "0"))
      .reverse()
      .join("");
    this.#lastTrace = { words, id };
    return id;
  }

  /** This may replace the `heap` buffer. */
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

  /** The batch must not be used afterwards. */
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

/** Address of a journal record: the name of its segment, which is the number of the segment's first record, and its byte offset there. */
export type RecordAddress = { segment: number; position: number };

export type BatchMark = { rows: number; heapUsed: number; lastLsn: number; origins: number };

/** A 64-bit integer is two words, the low word first. */
type SpanColumns = ReturnType<typeof typed>;

const words = (view: DataView<ArrayBuffer>) => new Uint32Array(view.buffer, view.byteOffset, view.byteLength / 4);
const doubles = (view: DataView<ArrayBuffer>) => new Float64Array(view.buffer, view.byteOffset, view.byteLength / 8);
const bytes = (view: DataView<ArrayBuffer>) => new Uint8Array(view.buffer, view.byteOffset, view.byteLength);

function typed(columns: Record<FixedColumn, DataView<ArrayBuffer>>) {
  return {
    trace_id: words(columns.trace_id),
    span_id: words(columns.span_id),
    parent_span_id: words(columns.parent_span_id),
    start_ns: words(columns.start_ns),
    end_ns: words(columns.end_ns),
    received_ms: doubles(columns.received_ms),
    lsn: doubles(columns.lsn),
    segment: doubles(columns.segment),
    position: words(columns.position),
    project: words(columns.project),
    flags: words(columns.flags),
    dropped_attributes: words(columns.dropped_attributes),
    dropped_events: words(columns.dropped_events),
    dropped_links: words(columns.dropped_links),
    origin: words(columns.origin),
    kind: bytes(columns.kind),
    status: bytes(columns.status),
    conversation_rank: bytes(columns.conversation_rank),
  } satisfies Record<FixedColumn, unknown>;
}

/** The buffer contains the columns one after the other, each with `capacity` rows. */
export function views(fixed: ArrayBuffer, capacity: number): Record<FixedColumn, DataView<ArrayBuffer>> {
  let offset = 0;
  const cut = ([name, width]: [FixedColumn, number]) => {
    const view = new DataView(fixed, offset, capacity * width);
    offset += capacity * width;
    return [name, view];
  };
  return Object.fromEntries(WIDTHS.map(cut)) as Record<FixedColumn, DataView<ArrayBuffer>>;
}
