import type { Connection } from "../stores/analytics.ts";
import {
  appendChunk,
  CHUNK_ROWS,
  fillFixed,
  fillTexts,
  makeChunk,
  startChunk,
  type VectorType,
} from "../stores/analytics-vectors.ts";
import type { Staged } from "./loader-commit.ts";
import type { Origins } from "./loader-origins.ts";
import type { SeenSpans } from "./loader-seen.ts";
import { FIXED_COLUMNS, type FixedColumn, NO_TEXT, type SealedBatch, TEXT_COLUMNS, views } from "./span-batch.ts";
import { dayOf } from "./store-days.ts";

/** Types that take a batch's bytes as they are; the commit turns 0 and 255 into NULL and counts into integers. */
const STAGED: Record<FixedColumn, VectorType> = {
  trace_id: "UHUGEINT",
  span_id: "UBIGINT",
  parent_span_id: "UBIGINT",
  start_ns: "BIGINT",
  end_ns: "BIGINT",
  received_ms: "DOUBLE",
  lsn: "DOUBLE",
  project: "UINTEGER",
  flags: "UINTEGER",
  dropped_attributes: "UINTEGER",
  dropped_events: "UINTEGER",
  dropped_links: "UINTEGER",
  origin: "UHUGEINT", // the index in the batch becomes the id
  kind: "UTINYINT",
  status: "UTINYINT",
  conversation_rank: "UTINYINT",
};

const FIXED = Object.entries(FIXED_COLUMNS) as [FixedColumn, number][];
const TEXT_SLOTS = TEXT_COLUMNS.length * 2;

export type Staging = {
  /** Puts the rows from `from` to `to` in line for the next commit; the rows of a batch come in order. */
  add: (batch: SealedBatch, from: number, to: number) => void;
  waitingRows: () => number;
  /** Moves what stands in line into the table `staging` and tells what that is. */
  flush: () => Staged;
  /** Empties the table once its rows are committed. */
  empty: () => Promise<void>;
};

/** The rows of the next commit: a temporary table on the writing connection, filled column by column. */
export async function openStaging(write: Connection, origins: Origins, seen: SeenSpans): Promise<Staging> {
  const columns = [
    ...FIXED.map(([name]) => `${name} ${STAGED[name]}`),
    ...TEXT_COLUMNS.map((name) => `${name} VARCHAR`),
  ];
  await write.run(`CREATE TEMP TABLE staging (${columns.join(", ")})`);
  const appender = await write.createAppender("staging", "main", "temp");
  const chunk = makeChunk([...FIXED.map(([name]) => STAGED[name]), ...TEXT_COLUMNS.map((): VectorType => "VARCHAR")]);
  const originIds = new BigUint64Array(CHUNK_ROWS * 2);
  const nothing = (): Staged => ({ rows: 0, suspects: 0, lastLsn: 0, days: new Set() });
  let waiting = nothing();

  function add(batch: SealedBatch, from: number, to: number): void {
    waiting.lastLsn = Math.max(waiting.lastLsn, wholeUpTo(batch, to));
    waiting.suspects += seen.note(batch, from, to);
    waiting.rows += to - from;
    noteDays(batch, from, to, waiting.days);
    const heap = new Uint8Array(batch.heap);
    const slots = new Uint32Array(batch.text);
    const idOf = origins.note(batch);
    for (let first = from; first < to; first += CHUNK_ROWS) {
      const rows = Math.min(CHUNK_ROWS, to - first);
      startChunk(chunk, rows);
      let start = 0;
      FIXED.forEach(([name, width], column) => {
        if (name === "origin") {
          for (let row = 0; row < rows; row++) originIds.set(idOf(first + row), row * 2);
          fillFixed(chunk, column, originIds.buffer, 0, rows * 16);
        } else {
          fillFixed(chunk, column, batch.fixed, start + first * width, rows * width);
        }
        start += batch.capacity * width;
      });
      TEXT_COLUMNS.forEach((_, text) => {
        fillTexts(chunk, FIXED.length + text, rows, (row) => {
          const slot = (first + row) * TEXT_SLOTS + text * 2;
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
    origins.flush();
    appender.flushSync();
    const flushed = waiting;
    waiting = nothing();
    return flushed;
  }

  async function empty() {
    await write.run("TRUNCATE temp.staging");
    await origins.empty();
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
