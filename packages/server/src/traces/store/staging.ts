import type { Connection } from "../../stores/analytics.ts";
import {
  appendChunk,
  CHUNK_ROWS,
  fillFixed,
  fillTexts,
  makeChunk,
  startChunk,
  type VectorType,
} from "../../stores/analytics-vectors.ts";
import type { Staged } from "./commit.ts";
import type { SeenSpans } from "./seen.ts";
import {
  FIXED_COLUMNS,
  type FixedColumn,
  NO_TEXT,
  type SealedBatch,
  TEXT_COLUMNS,
  TEXT_SLOTS,
  views,
} from "../span-batch.ts";
import { dayOf } from "./days.ts";

/** The columns of the index, in types that take a batch's bytes as they are; the commit turns 0 and 255 into NULL. */
const STAGED = {
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

const FIXED = Object.keys(STAGED) as (keyof typeof STAGED)[];
const TEXTS = ["name", "conversation", "agent", "service"] as const;

type Staging = {
  /** Puts the rows from `from` to `to` in line for the next commit; the rows of a batch come in order. */
  add: (batch: SealedBatch, from: number, to: number) => void;
  waitingRows: () => number;
  /** Moves what stands in line into the table `staging` and tells what that is. */
  flush: () => Staged;
  /** Empties the table once its rows are committed. */
  empty: () => Promise<void>;
};

/** The rows of the next commit: a temporary table on the writing connection, filled column by column. */
export async function openStaging(write: Connection, seen: SeenSpans): Promise<Staging> {
  const columns = [...FIXED.map((name) => `${name} ${STAGED[name]}`), ...TEXTS.map((name) => `${name} VARCHAR`)];
  await write.run(`CREATE TEMP TABLE staging (${columns.join(", ")})`);
  const appender = await write.createAppender("staging", "main", "temp");
  const chunk = makeChunk([...FIXED.map((name) => STAGED[name]), ...TEXTS.map((): VectorType => "VARCHAR")]);
  const nothing = (): Staged => ({ rows: 0, suspects: 0, lastLsn: 0, days: new Set() });
  let waiting = nothing();

  function add(batch: SealedBatch, from: number, to: number): void {
    waiting.lastLsn = Math.max(waiting.lastLsn, wholeUpTo(batch, to));
    waiting.suspects += seen.note(batch, from, to);
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

  function flush(): Staged {
    appender.flushSync();
    const flushed = waiting;
    waiting = nothing();
    return flushed;
  }

  async function empty(): Promise<void> {
    await write.run("TRUNCATE temp.staging");
    await write.run("CHECKPOINT temp"); // without it the emptied rows hold on to their memory
  }

  return { add, waitingRows: () => waiting.rows, flush, empty };
}

/** Gives the memory back now; the collector of this thread is in no hurry, for it sees only small objects. */
function release(batch: SealedBatch): void {
  for (const buffer of [batch.fixed, batch.text, batch.heap]) buffer.transfer(0);
}

/** The last record whose rows all come before `row`. A record that is cut is replayed whole after a crash. */
function wholeUpTo(batch: SealedBatch, row: number): number {
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
