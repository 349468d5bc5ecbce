import {
  FIXED_COLUMNS,
  type FixedColumn,
  NO_TEXT,
  type SealedBatch,
  TEXT_COLUMNS,
  TEXT_SLOTS,
  views,
} from "../../span-batch.ts";
import { dayOf } from "../day.ts";
import type { StagedRows } from "./commit.ts";
import { type DatabaseConnection, ROW_GROUP_ROWS } from "./database.ts";
import type { RecentSpans } from "./recent-spans.ts";
import { appendChunk, CHUNK_ROWS, createChunk, fillFixed, fillTexts, startChunk, type VectorType } from "./vectors.ts";

/** Column types with the layout of a batch's bytes; the commit turns 0 and 255 into NULL. */
const STAGED_TYPES = {
  trace_id: "UHUGEINT",
  span_id: "UBIGINT",
  parent_span_id: "UBIGINT",
  start_ns: "BIGINT",
  end_ns: "BIGINT",
  received_ms: "DOUBLE",
  lsn: "DOUBLE",
  segment: "DOUBLE",
  position: "UINTEGER",
  project: "UINTEGER",
  status: "UTINYINT",
  conversation_rank: "UTINYINT",
} as const satisfies Partial<Record<FixedColumn, VectorType>>;

const FIXED = Object.keys(STAGED_TYPES) as (keyof typeof STAGED_TYPES)[];
const TEXTS = ["name", "conversation", "agent", "service"] as const;

type Staging = {
  /** Adds the rows from `from` to `to` of a batch to the next commit; rows must come in order. Frees a finished batch. */
  add: (batch: SealedBatch, from: number, to: number) => void;
  waitingRows: () => number;
  /** Moves the added rows into the table `staging` and describes them. */
  flush: () => StagedRows;
  /** Deletes all rows of the table. */
  empty: () => Promise<void>;
};

/** Creates the temporary table `staging` for the rows of the next commit; it is filled column by column. */
export async function createStaging(write: DatabaseConnection, recent: RecentSpans): Promise<Staging> {
  const columns = [...FIXED.map((name) => `${name} ${STAGED_TYPES[name]}`), ...TEXTS.map((name) => `${name} VARCHAR`)];
  await write.run(`CREATE TEMP TABLE staging (${columns.join(", ")})`);
  const appender = await write.createAppender("staging", "main", "temp");
  const chunk = createChunk([...FIXED.map((name) => STAGED_TYPES[name]), ...TEXTS.map((): VectorType => "VARCHAR")]);
  const none = (): StagedRows => ({ rows: 0, suspects: 0, lastLsn: 0, days: new Set() });
  let waiting = none();
  let emptied = 0; // rows whose memory is not freed yet

  function add(batch: SealedBatch, from: number, to: number): void {
    waiting.lastLsn = Math.max(waiting.lastLsn, lastWholeRecord(batch, to));
    waiting.suspects += recent.note(batch, from, to);
    waiting.rows += to - from;
    noteDays(batch, from, to, waiting.days);
    const heap = new Uint8Array(batch.heap);
    const slots = new Uint32Array(batch.text);
    const fixed = views(batch.fixed, batch.capacity);
    for (let first = from; first < to; first += CHUNK_ROWS) {
      const rows = Math.min(CHUNK_ROWS, to - first);
      startChunk(chunk, rows);
      FIXED.forEach((name, column) => {
        const width = FIXED_COLUMNS[name];
        fillFixed(chunk, column, batch.fixed, fixed[name].byteOffset + first * width, rows * width);
      });
      TEXTS.forEach((name, text) => {
        const slotOf = TEXT_COLUMNS.indexOf(name) * 2;
        fillTexts(chunk, FIXED.length + text, rows, (row) => {
          const slot = (first + row) * TEXT_SLOTS + slotOf;
          const length = slots[slot + 1]!;
          if (length === NO_TEXT) return null;
          return heap.subarray(slots[slot]!, slots[slot]! + length);
        });
      });
      appendChunk(appender, chunk);
    }
    if (to === batch.rows) release(batch);
  }

  function flush(): StagedRows {
    appender.flushSync();
    const flushed = waiting;
    waiting = none();
    emptied += flushed.rows;
    return flushed;
  }

  async function empty(): Promise<void> {
    await write.run("TRUNCATE temp.staging");
    if (emptied < ROW_GROUP_ROWS) return;
    await write.run("CHECKPOINT temp"); // without this call the emptied rows keep their memory
    emptied = 0;
  }

  return { add, waitingRows: () => waiting.rows, flush, empty };
}

/** Frees the buffers now: the garbage collector of this thread sees only small objects and runs seldom. */
function release(batch: SealedBatch): void {
  for (const buffer of [batch.fixed, batch.text, batch.heap]) buffer.transfer(0);
}

/** Returns the last record whose rows all come before `row`. After a crash, a record that was cut is replayed in full. */
function lastWholeRecord(batch: SealedBatch, row: number): number {
  if (row === batch.rows) return batch.lastLsn;
  return views(batch.fixed, batch.capacity).lsn.getFloat64(row * 8, true) - 1;
}

function noteDays(batch: SealedBatch, from: number, to: number, days: Set<number>): void {
  const received = views(batch.fixed, batch.capacity).received_ms;
  let last = -1;
  for (let row = from; row < to; row++) {
    const day = dayOf(received.getFloat64(row * 8, true));
    if (day !== last) days.add((last = day));
  }
}
