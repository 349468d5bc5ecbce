import { existsSync } from "node:fs";
import { createDeletedConversations, type DeletedConversations } from "../erasure/deleted-conversations.ts";
import { openJournal } from "./journal.ts";
import type { JournalRecord } from "./record.ts";
import { createDecoder, NewerRecord } from "../otlp/decoder.ts";
import { withoutTraces } from "../otlp/without-traces.ts";
import { SpanBatch } from "../span-batch.ts";
import { dayOf } from "../store/day.ts";
import type { SpanTarget } from "../store/trace-store.ts";

export type JournalPosition = {
  lsn: number;
  /** Receipt time of the last span of record `lsn` in the other store, in Unix microseconds. */
  receivedUs: number;
  /** The number of records up to `lsn` whose body cannot be decoded. */
  unreadableRecords: number;
};

type JournalMove = {
  journal: string;
  target: SpanTarget;
  deleted: DeletedConversations;
  /** `bytesLeft` is the size of the journal that is still to be copied. */
  onStored: (position: JournalPosition, bytesLeft: number) => Promise<void>;
};

const ROWS = 8_192;
const HEAP_BYTES = 8 * 1024 * 1024;
const BATCH_BYTES = 16 * 1024 * 1024;
/** Largest number of days of receipt in one INSERT. Each day is a partition, and an INSERT may touch at most 100 partitions. */
const DAYS_MAX = 50;
/**
 * Each span gets a receipt time of its own in microseconds, so the spans of one millisecond may get times in the next milliseconds. Only a
 * step back by more than this value means that the clock has leapt.
 */
const CLOCK_LEAP_US = 1_000_000;

/**
 * Copies the spans of the journal records after `from` to another trace store, with their times of receipt. A repeated copy gives
 * the spans the same times, so it stores the same rows.
 */
export async function storeJournalSpans(
  { journal: dir, target, deleted, onStored }: JournalMove,
  from: JournalPosition,
): Promise<JournalPosition> {
  if (!existsSync(dir)) return from;
  const journal = openJournal(dir);
  const decoder = createDecoder();
  const reached = { ...from };
  let batch = new SpanBatch(ROWS, HEAP_BYTES);
  let days = new Set<number>();

  for (const placed of journal.recordsAbove(from.lsn, () => undefined)) {
    if (placed === undefined) break;
    const { record } = placed;
    const day = dayOf(record.receivedMs);
    if (days.size >= DAYS_MAX && !days.has(day)) await flush();
    days.add(day);
    const mark = batch.mark();
    await add(record, mark.rows);
    numberRows(record.receivedMs * 1000, mark.rows);
    reached.lsn = record.lsn;
    if (batch.heapUsed >= BATCH_BYTES) await flush();
  }
  await flush();
  await journal.close();
  return reached;

  async function add(record: JournalRecord, firstRow: number): Promise<void> {
    const mark = batch.mark();
    try {
      decoder.decodeRecord(record, batch, { index: false });
    } catch (error) {
      if (error instanceof NewerRecord) throw error;
      batch.truncate(mark);
      reached.unreadableRecords++;
      return;
    }
    const dropped = deleted.tracesIn(record.project, batch, firstRow);
    if (dropped === undefined) return;
    batch.truncate(mark);
    await deleted.drop(dropped);
    const rest = withoutTraces(decoder.plainBody(record), record.encoding, (id) => dropped.traceIds.has(id));
    if (rest !== null) await add({ ...record, compression: "identity", chunks: [Buffer.from(rest)] }, firstRow);
  }

  function numberRows(receivedUs: number, from: number): void {
    const hasLeapt = receivedUs < reached.receivedUs - CLOCK_LEAP_US;
    let us = hasLeapt ? receivedUs : Math.max(reached.receivedUs, receivedUs);
    for (let row = from; row < batch.rows; row++) batch.columns.lsn[row] = ++us;
    if (batch.rows > from) reached.receivedUs = us;
  }

  async function flush(): Promise<void> {
    await target.store(batch);
    await onStored({ ...reached }, journal.bytesAbove(reached.lsn));
    batch = new SpanBatch(ROWS, HEAP_BYTES);
    days = new Set();
  }
}

export function deletedBy(digests: ReadonlyMap<number, readonly string[]>): DeletedConversations {
  const deleted = createDeletedConversations();
  for (const [project, own] of digests) deleted.add(project, own);
  return deleted;
}
