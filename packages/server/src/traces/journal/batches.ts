import type { Analytics } from "../store/analytics.ts";
import { type BatchMark, SpanBatch } from "../span-batch.ts";

const ROWS_MAX = 4_096;
const HEAP_BYTES_MAX = 1024 * 1024;
/** What a batch begins with: the index of a span takes less than 200 bytes of text, and what is too small grows. */
const SMALL = { rows: 1024, heapBytes: 128 * 1024 };
const LARGE = { rows: ROWS_MAX * 2, heapBytes: HEAP_BYTES_MAX };
/** A batch is handed over at the latest after this, and at once when none was for as long. */
const AGE_MS = 50;
const BATCHES_IN_FLIGHT_MAX = 256;
export const BYTES_IN_FLIGHT_MAX = 32 * 1024 * 1024;

type Batches = {
  /** The loader keeps up: there is room for more. */
  hasRoom: () => boolean;
  /** The batch that the next body is decoded into. */
  current: () => SpanBatch;
  /** Every record up to this one is on disk; what holds no later one may be handed over. */
  durable: (lsn: number) => void;
  /** Undoes a body that could not be made durable; the last one first. */
  takeBack: (batch: SpanBatch, to: BatchMark) => void;
  /** Hands all over; every record must be durable. */
  flush: () => void;
};

/** Collects decoded spans and hands them to the loader in batches, none before its records are durable. */
export function collectBatches(analytics: Analytics, bytesInFlightMax: number): Batches {
  let open: SpanBatch | undefined;
  let full: SpanBatch[] = [];
  let durableLsn = 0;
  let sentAt = 0;
  let timer: NodeJS.Timeout | undefined;
  let sizes = SMALL;

  const isFull = (batch: SpanBatch) => batch.rows >= ROWS_MAX || batch.heapUsed >= HEAP_BYTES_MAX;

  function hasRoom(): boolean {
    const { batches, bytes } = analytics.inFlight();
    const held = full.reduce((sum, batch) => sum + batch.bytes, open?.bytes ?? 0);
    return batches + full.length < BATCHES_IN_FLIGHT_MAX && bytes + held < bytesInFlightMax;
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
    const [due, held] = [full.filter((batch) => batch.lastLsn <= lsn), full.filter((batch) => batch.lastLsn > lsn)];
    full = held;
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

  /** The open batch goes, or waits as a full one for its last record. */
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
    if (batch.lastLsn === 0) return;
    sentAt = performance.now();
    const large = batch.rows >= ROWS_MAX / 2 || batch.heapUsed >= HEAP_BYTES_MAX / 2;
    sizes = large ? LARGE : SMALL;
    analytics.load(batch.seal());
  }

  return { hasRoom, current, durable, takeBack, flush: sendOpen };
}
