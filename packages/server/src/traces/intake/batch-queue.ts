import { type BatchMark, SpanBatch } from "../span-batch.ts";
import type { SpanLoader } from "../store/trace-store.ts";

const ROWS_MAX = 4_096;
const HEAP_BYTES_MAX = 1024 * 1024;
/** Initial sizes of a batch: `LARGE` after a batch that was at least half full, otherwise `SMALL`. */
const SMALL = { rows: 1024, heapBytes: 128 * 1024 };
const LARGE = { rows: ROWS_MAX * 2, heapBytes: HEAP_BYTES_MAX };
/** The least time between two batches that are not full. A full batch is sent at once. */
const AGE_MS = 50;
const BATCHES_IN_FLIGHT_MAX = 256;
export const BYTES_IN_FLIGHT_MAX = 32 * 1024 * 1024;

export type BatchQueue = {
  hasRoom: () => boolean;
  current: () => SpanBatch;
  /** Sends the batches whose journal records are all on disk. Call `durable` when every record up to number `lsn` is on disk. */
  durable: (lsn: number) => void;
  /** Removes the rows of a body that could not be written to disk. If several bodies failed, call `takeBack` for the newest body first. */
  takeBack: (batch: SpanBatch, to: BatchMark) => void;
  /** Sends the batch that is being filled. Call `flush` only when all records of the batch are on disk. */
  flush: () => void;
  /** Makes the queue send nothing more. */
  discard: () => void;
  isDiscarded: () => boolean;
};

/** Creates the queue that collects decoded spans into batches and sends a batch to the loader once its journal records are on disk. */
export function createBatchQueue(loader: SpanLoader, bytesInFlightMax: number): BatchQueue {
  let open: SpanBatch | undefined;
  let full: SpanBatch[] = [];
  let durableLsn = 0;
  let sentAt = 0;
  let timer: NodeJS.Timeout | undefined;
  let sizes = SMALL;
  let discarded = false;

  const isFull = (batch: SpanBatch) => batch.rows >= ROWS_MAX || batch.heapUsed >= HEAP_BYTES_MAX;

  function hasRoom(): boolean {
    const { batches, bytes } = loader.inFlight();
    const waiting = full.reduce((sum, batch) => sum + batch.bytes, open?.bytes ?? 0);
    return batches + full.length < BATCHES_IN_FLIGHT_MAX && bytes + waiting < bytesInFlightMax;
  }

  function current(): SpanBatch {
    if (open !== undefined && isFull(open)) {
      full.push(open);
      open = undefined;
    }
    return (open ??= new SpanBatch(sizes.rows, sizes.heapBytes));
  }

  function durable(lsn: number): void {
    durableLsn = lsn;
    const due = full.filter((batch) => batch.lastLsn <= lsn);
    full = full.filter((batch) => batch.lastLsn > lsn);
    due.forEach(send);
    if (open === undefined || open.lastLsn === 0) return;
    const waitMs = sentAt + AGE_MS - performance.now();
    if (isFull(open) || waitMs <= 0) sendOpen();
    else timer ??= setTimeout(sendOpen, waitMs);
  }

  function takeBack(batch: SpanBatch, to: BatchMark): void {
    batch.truncate(to);
    durable(durableLsn);
  }

  /** Sends the batch that is being filled. If its last record is not on disk yet, queues it with the full batches. */
  function sendOpen(): void {
    clearTimeout(timer);
    timer = undefined;
    const batch = open;
    if (batch === undefined || batch.lastLsn === 0) return;
    open = undefined;
    if (batch.lastLsn <= durableLsn) send(batch);
    else full.push(batch);
  }

  function send(batch: SpanBatch): void {
    if (batch.lastLsn === 0 || discarded) return;
    sentAt = performance.now();
    const large = batch.rows >= ROWS_MAX / 2 || batch.heapUsed >= HEAP_BYTES_MAX / 2;
    sizes = large ? LARGE : SMALL;
    loader.load(batch.seal());
  }

  function discard(): void {
    discarded = true;
    clearTimeout(timer);
  }

  return { hasRoom, current, durable, takeBack, flush: sendOpen, discard, isDiscarded: () => discarded };
}
