import { setTimeout as delay } from "node:timers/promises";
import { type Conditions, createConditions } from "../conditions.ts";
import { unavailable } from "../errors.ts";
import type { Log } from "../log.ts";
import { type BatchQueue, BYTES_IN_FLIGHT_MAX, createBatchQueue } from "./batch-queue.ts";
import {
  createDeletedConversations,
  type DeletedConversations,
  type DroppedTraces,
} from "./erasure/deleted-conversations.ts";
import type { JournalDisk } from "./journal/disk.ts";
import { openJournal, type PlacedRecord } from "./journal/journal.ts";
import { bodyKey, createRecentOutcomes } from "./journal/recent-outcomes.ts";
import { bodyBytes, type JournalRecord } from "./journal/record.ts";
import { journalDir } from "./journal/segments.ts";
import { createDecoder, NewerRecord } from "./otlp/decoder.ts";
import type { DecodeResult } from "./otlp/span-rows.ts";
import { SpanBatch } from "./span-batch.ts";
import { withoutTraces } from "./otlp/without-traces.ts";
import type { SpanLoader } from "./store/trace-store.ts";

type ReceivedBody = Pick<JournalRecord, "project" | "encoding" | "compression"> & { chunks: Buffer[] };

export type Intake = {
  /**
   * Resolves once the body is on disk, with the counts of accepted and rejected spans; a resent body gets the first
   * answer again. Refuses malformed bodies, and all bodies while the store is too busy or not reachable.
   */
  take: (body: ReceivedBody) => Promise<DecodeResult>;
  /** Resolves once every accepted body is in the tables and its conversations are read. */
  drain: () => Promise<void>;
  /** Resolves once every body that was accepted before this call can be read. */
  loaded: () => Promise<void>;
  /** Returns the number of the last journal record whose body was acknowledged. */
  acknowledgedLsn: () => number;
  /** Forgets the answers to recent bodies, so that a body that is sent again is examined again. */
  forgetBodies: () => void;
  /** Refuses new bodies. Accepted bodies are loaded, or stay in the journal for the next start. */
  close: () => Promise<void>;
};

type IntakeOptions = {
  dataDir: string;
  loader: SpanLoader;
  log: Log;
  conditions?: Conditions;
  /** The deleted conversations, whose spans are acknowledged and dropped. */
  deleted?: DeletedConversations;
  disk?: JournalDisk;
  waitMs?: number;
  bytesInFlightMax?: number;
};

/** Limits of the bodies that wait until the loader has caught up. */
const WAITING_MAX = 1_000;
const WAITING_BYTES_MAX = 256 * 1024 * 1024;
const WAIT_MS = 5_000;
/** The start waits for a replay of at most this size; a larger one goes on while the service serves. */
const FOREGROUND_BYTES_MAX = 128 * 1024 * 1024;
/** The longest time that a replay keeps other work waiting. */
const SLICE_MS = 10;
/** The initial size of the batch that only counts the spans of a body. */
const SCRATCH_ROWS = 64;
const SCRATCH_BYTES = 16 * 1024;
const REBUILDING = "analytics_store_rebuilding";
const JOURNAL_DAMAGED = "journal_damaged";
const NOT_WRITABLE = "journal_not_writable";

/** Opens the intake of trace bodies: decode, write to the journal, load. Replays what an earlier run did not load. */
export async function openIntake({
  dataDir,
  loader,
  log,
  conditions = createConditions(log),
  deleted = createDeletedConversations(),
  disk,
  waitMs = WAIT_MS,
  bytesInFlightMax = BYTES_IN_FLIGHT_MAX,
}: IntakeOptions): Promise<Intake> {
  const journal = openJournal(journalDir(dataDir), disk);
  let queue = createBatchQueue(loader, bytesInFlightMax);
  const outcomes = createRecentOutcomes<DecodeResult>();
  const decoder = createDecoder();
  const waiting = new Set<() => void>();
  let waitingBytes = 0;
  let lastLsn = Math.max(loader.loadedLsn(), journal.newestSegmentLsn);
  let durableLsn = loader.loadedLsn(); // the last record that is on disk and in a batch
  let closed = false;
  let isLive = false; // bodies go to the loader at once; otherwise it loads them from the journal
  let catchingUp: Promise<void> | undefined;
  let goingLive: Promise<void> | undefined; // bodies wait for the last writes that the catch-up has to load

  const isOpen = () => !closed && loader.reachable();

  loader.onProgress(recheckWaiting);
  loader.onReopened(() => void (catchingUp = keepUp()));
  if (journal.bytesAbove(loader.loadedLsn()) <= FOREGROUND_BYTES_MAX) {
    await catchUp();
  } else {
    lastLsn = Math.max(lastLsn, journal.lastLsn());
    catchingUp = keepUp();
  }

  function take(body: ReceivedBody): Promise<DecodeResult> {
    const key = bodyKey(body);
    const earlier = outcomes.find(key);
    if (earlier !== undefined) return earlier;
    const outcome = takeNew(body);
    outcomes.add(key, outcome);
    return outcome;
  }

  async function takeNew(body: ReceivedBody): Promise<DecodeResult> {
    if (!isOpen()) throw unavailable("The trace store is not reachable; send the spans again later.", 30);
    const deadline = performance.now() + waitMs;
    for (;;) {
      if (goingLive !== undefined) await goingLive;
      else if (isLive && !queue.hasRoom()) await waitForRoom(bodyBytes(body.chunks), deadline);
      else break;
    }
    const into = queue;
    const batch = isLive ? into.current() : new SpanBatch(SCRATCH_ROWS, SCRATCH_BYTES);
    const mark = batch.mark();
    const record: JournalRecord = { ...body, lsn: lastLsn + 1, receivedMs: Date.now() };
    const decoded = decoder.decodeRecord(record, batch, { index: true });
    const dropped = deleted.tracesIn(body.project, batch, mark.rows);
    if (decoded.accepted === 0 || dropped !== undefined) batch.truncate(mark);
    if (dropped !== undefined) await takeRest(body, dropped);
    if (decoded.accepted === 0 || dropped !== undefined) return decoded;
    lastLsn = record.lsn;
    batch.lastLsn = record.lsn;
    const wasLive = isLive;
    return new Promise((resolve, reject) => {
      journal.append(record, (error, address) => {
        if (error === null) {
          durableLsn = record.lsn;
          conditions.clear(NOT_WRITABLE);
          if (wasLive) {
            batch.setAddress(mark.rows, mark.rows + decoded.accepted, address);
            into.durable(record.lsn);
          }
          resolve(decoded);
        } else {
          if (wasLive) into.takeBack(batch, mark);
          conditions.report({
            code: NOT_WRITABLE,
            message: "The service cannot write spans to its disk. Senders get 503 and must send the spans again.",
            mend: "Free space on the disk of the data folder. The service continues by itself.",
            error,
          });
          reject(
            unavailable(
              "The service could not write the spans to its disk. Send them again later. If this goes on, free space on the disk of the service.",
              5,
            ),
          );
        }
      });
    });
  }

  /** Takes a body without the spans of deleted conversations, which never reach the disk. */
  async function takeRest(body: ReceivedBody, dropped: DroppedTraces): Promise<void> {
    const rest = withoutTraces(decoder.plainBody(body), body.encoding, (id) => dropped.traceIds.has(id));
    const chunks = rest && [Buffer.from(rest)];
    await deleted.drop(dropped);
    if (chunks !== null) await takeNew({ ...body, compression: "identity", chunks });
  }

  function recheckWaiting(): void {
    for (const recheck of waiting) recheck();
  }

  /** Waits until the loader has caught up; refuses after `deadline` and when too many bodies wait. */
  function waitForRoom(bytes: number, deadline: number): Promise<void> {
    return new Promise((resolve, reject) => {
      if (waiting.size >= WAITING_MAX || waitingBytes + bytes > WAITING_BYTES_MAX) throw tooBusy();
      waitingBytes += bytes;
      const finish = (end: () => void) => {
        clearTimeout(timer);
        waiting.delete(recheck);
        waitingBytes -= bytes;
        end();
      };
      const recheck = () => {
        if (!isOpen()) finish(() => reject(unavailable("The service is stopping; send the spans again later.", 5)));
        else if (!isLive || queue.hasRoom()) finish(resolve);
      };
      const timer = setTimeout(() => finish(() => reject(tooBusy())), deadline - performance.now());
      waiting.add(recheck);
    });
  }

  async function keepUp(): Promise<void> {
    try {
      await catchUp();
    } catch (error) {
      conditions.report({
        code: "journal_unreadable",
        message: "The journal cannot be read, so that conversations cannot be read either.",
        mend: "Read the reason in the log, make the journal readable, and restart the service.",
        error,
      });
    }
  }

  /**
   * Loads the records that the store lacks. Meanwhile new bodies go to the journal only, from which they are loaded too, and
   * the store refuses reads.
   */
  async function catchUp(): Promise<void> {
    queue.discard();
    const into = (queue = createBatchQueue(loader, bytesInFlightMax));
    isLive = false;
    loader.holdReads(true);
    const above = loader.loadedLsn();
    const bytes = journal.bytesAbove(above);
    const isRebuild = above === 0 && bytes > 0;
    if (isRebuild) reportRebuild(bytes);
    const start = performance.now();
    const records = await loadAbove(above, into);
    if (records > 0) await committed(into);
    if (into.isDiscarded() || closed) return;
    catchingUp = undefined;
    loader.holdReads(false);
    conditions.clear(REBUILDING);
    if (records > 0) log.info({ records, tookMs: Math.round(performance.now() - start) }, "replayed the journal");
  }

  /** Loads the records above a number until none is left, then makes the intake live; returns their count. */
  async function loadAbove(lsn: number, into: BatchQueue): Promise<number> {
    const gate = Promise.withResolvers<void>();
    let records = 0;
    let sliceEnds = performance.now() + SLICE_MS;
    for (const placed of journal.recordsAbove(lsn, reportLost)) {
      if (into.isDiscarded() || closed) break;
      if (placed !== undefined) {
        records++;
        replay(placed, into);
      } else if (journal.writing() === undefined) {
        isLive = true;
        into.flush();
        break;
      } else {
        goingLive = gate.promise;
        await journal.writing();
      }
      while (!into.hasRoom() || performance.now() > sliceEnds) {
        await delay(into.hasRoom() ? 0 : 5);
        if (into.isDiscarded() || closed) break;
        sliceEnds = performance.now() + SLICE_MS;
      }
    }
    if (goingLive === gate.promise) goingLive = undefined;
    gate.resolve();
    return records;
  }

  function replay({ record, address }: PlacedRecord, into: BatchQueue): void {
    lastLsn = Math.max(lastLsn, record.lsn);
    const batch = into.current();
    const from = batch.rows;
    try {
      const decoded = decoder.decodeRecord(record, batch, { index: true });
      batch.setAddress(from, batch.rows, address);
      outcomes.add(bodyKey(record), Promise.resolve(decoded));
    } catch (error) {
      if (error instanceof NewerRecord) conditions.report(NEWER_RECORDS);
      else log.error({ err: error, lsn: record.lsn }, "a body in the journal cannot be decoded and is skipped");
    }
    batch.lastLsn = record.lsn;
    durableLsn = Math.max(durableLsn, record.lsn);
    into.durable(record.lsn);
  }

  function reportRebuild(bytes: number): void {
    conditions.clear(JOURNAL_DAMAGED); // the whole journal is read again
    conditions.report({
      code: REBUILDING,
      message: `The analytics store is empty and is built again from ${bytes} bytes of the journal. Until then conversations cannot be read; new spans are accepted.`,
      mend: "Wait until it is done; the log says when.",
    });
  }

  function reportLost(path: string, bytes: number): void {
    conditions.report({
      code: JOURNAL_DAMAGED,
      message: `The journal segment ${path} has ${bytes} bytes without a readable record. The segment is damaged, or a stop interrupted the write of a body at its end, which was never acknowledged.`,
      mend: "Check the disk and restore the data folder from a backup, or send the missing spans again.",
    });
  }

  async function drain(): Promise<void> {
    await catchingUp;
    queue.flush();
    await loader.drain();
  }

  async function loaded(): Promise<void> {
    if (catchingUp !== undefined) await catchingUp;
    await committed(queue);
  }

  /** Resolves once the records that are on disk now are in the tables; also when the store has opened again meanwhile. */
  async function committed(into: BatchQueue): Promise<void> {
    const lsn = durableLsn;
    while (loader.loadedLsn() < lsn && !into.isDiscarded()) {
      if (!loader.reachable()) throw unavailable("The trace store is not reachable; try again later.", 30);
      await progress();
    }
  }

  function progress(): Promise<void> {
    return new Promise((resolve) => {
      const stopListening = loader.onProgress(() => {
        stopListening();
        resolve();
      });
    });
  }

  async function close(): Promise<void> {
    closed = true;
    recheckWaiting();
    await journal.close();
    await catchingUp;
    if (!isLive) return;
    queue.flush();
    if (loader.reachable()) await committed(queue);
  }

  const acknowledgedLsn = () => durableLsn;
  return { take, drain, loaded, acknowledgedLsn, forgetBodies: outcomes.clear, close };
}

const NEWER_RECORDS = {
  code: "journal_newer",
  message: "A newer version of the service wrote bodies to the journal that this version cannot read. It skips them.",
  mend: "Stop the service, remove `analytics.duckdb` and `analytics.duckdb.wal` from the data folder, and start the newer version: it builds them again from the journal.",
};

const tooBusy = () => unavailable("More spans arrive than the service can store; send them again later.", 2);
