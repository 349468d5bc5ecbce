import { type Conditions, createConditions } from "../../base/conditions.ts";
import { unavailable } from "../../base/errors.ts";
import type { Log } from "../../base/log/log.ts";
import { type BatchQueue, BYTES_IN_FLIGHT_MAX } from "./batch-queue.ts";
import { createCatchUp } from "./catch-up.ts";
import {
  createDeletedConversations,
  type DeletedConversations,
  type DroppedTraces,
} from "../erasure/deleted-conversations.ts";
import { createJournalDamage, type JournalDamage } from "../journal/damage.ts";
import type { JournalDisk } from "../journal/disk.ts";
import { openJournal, type PlacedRecord } from "../journal/journal.ts";
import { createNewerRecords } from "../journal/newer-records.ts";
import { bodyKey, createRecentOutcomes } from "../journal/recent-outcomes.ts";
import { bodyBytes, type JournalRecord } from "../journal/record.ts";
import { journalDir } from "../journal/segments.ts";
import { createDecoder, NewerRecord } from "../otlp/decoder.ts";
import type { DecodeResult } from "../otlp/span-rows.ts";
import { SpanBatch } from "../span-batch.ts";
import { withoutTraces } from "../otlp/without-traces.ts";
import type { SpanLoader } from "../store/trace-store.ts";

type ReceivedBody = Pick<JournalRecord, "project" | "encoding" | "compression"> & { chunks: Buffer[] };

export type Intake = {
  /**
   * Resolves once the body is on disk, with the counts of accepted and rejected spans. A body that is sent again gets the answer of
   * the first time. Rejects for a malformed body, and for every body while the store is too busy or not reachable.
   */
  take: (body: ReceivedBody) => Promise<DecodeResult>;
  /** Resolves once every accepted body is in the trace store and its conversations are derived. */
  drain: () => Promise<void>;
  /** Resolves once the trace store contains every body that was accepted, or was being written, at the time of the call. */
  loaded: () => Promise<void>;
  isCatchingUp: () => boolean;
  acknowledgedLsn: () => number;
  /** Forgets the recent bodies, so that a body that is sent again is decoded again. */
  forgetBodies: () => void;
  /** Rejects new bodies. Accepted bodies are loaded now, or from the journal at the next start. */
  close: () => Promise<void>;
};

type IntakeOptions = {
  dataDir: string;
  loader: SpanLoader;
  log: Log;
  conditions?: Conditions;
  damage?: JournalDamage;
  /** The intake acknowledges and drops the spans of these conversations. */
  deleted?: DeletedConversations;
  disk?: JournalDisk;
  waitMs?: number;
  bytesInFlightMax?: number;
};

const WAITING_MAX = 1_000;
const WAITING_BYTES_MAX = 256 * 1024 * 1024;
const WAIT_MS = 5_000;
/** The start waits for a replay of at most this size. A larger replay runs while the service already answers requests. */
const FOREGROUND_BYTES_MAX = 128 * 1024 * 1024;
/** The initial size of a batch that is only used to count the spans of a body. */
const SCRATCH_ROWS = 64;
const SCRATCH_BYTES = 16 * 1024;
const NOT_WRITABLE = "journal_not_writable";

/**
 * Opens the intake, which decodes bodies, writes them to the journal and loads their spans into the store. The intake also loads the
 * journal records that an earlier run did not load.
 */
export async function openIntake({
  dataDir,
  loader,
  log,
  conditions = createConditions(log),
  damage = createJournalDamage(dataDir, conditions, log),
  deleted = createDeletedConversations(),
  disk,
  waitMs = WAIT_MS,
  bytesInFlightMax = BYTES_IN_FLIGHT_MAX,
}: IntakeOptions): Promise<Intake> {
  const journal = openJournal(journalDir(dataDir), disk);
  const newer = createNewerRecords({ dataDir, conditions, log }, loader.loadedLsn());
  const stopped = Promise.withResolvers<void>();
  const catchUp = createCatchUp({
    journal,
    loader,
    log,
    conditions,
    damage,
    bytesInFlightMax,
    replay,
    committed: (into) => Promise.race([committed(into), stopped.promise]),
  });
  const outcomes = createRecentOutcomes<DecodeResult>();
  const decoder = createDecoder();
  const waiting = new Set<() => void>();
  const awaiting = new Set<() => void>();
  let waitingBytes = 0;
  let lastLsn = Math.max(loader.loadedLsn(), journal.newestSegmentLsn);
  let durableLsn = loader.loadedLsn(); // the number of the last record that is known to be on disk
  let lastWrite: Promise<unknown> = Promise.resolve();
  let closed = false;

  const isOpen = () => !closed && loader.reachable();

  loader.onProgress(recheckWaiting);
  loader.onProgress(noteProgress);
  loader.onReopened(() => {
    catchUp.start();
    noteProgress();
  });
  if (journal.bytesAbove(loader.loadedLsn()) <= FOREGROUND_BYTES_MAX) {
    await catchUp.run();
  } else {
    lastLsn = Math.max(lastLsn, journal.lastLsn());
    catchUp.start();
  }
  damage.examineKnown();

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
      if (catchUp.goingLive() !== undefined) await catchUp.goingLive();
      else if (catchUp.isLive() && !catchUp.queue().hasRoom()) await waitForRoom(bodyBytes(body.chunks), deadline);
      else break;
    }
    const [into, wasLive] = [catchUp.queue(), catchUp.isLive()];
    const batch = wasLive ? into.current() : new SpanBatch(SCRATCH_ROWS, SCRATCH_BYTES);
    const mark = batch.mark();
    const record: JournalRecord = { ...body, lsn: lastLsn + 1, receivedMs: Date.now() };
    const decoded = decoder.decodeRecord(record, batch, { index: true, bounded: true });
    const dropped = deleted.tracesIn(body.project, batch, mark.rows);
    if (decoded.accepted === 0 || dropped !== undefined) batch.truncate(mark);
    if (dropped !== undefined) await takeRest(body, dropped);
    if (decoded.accepted === 0 || dropped !== undefined) return decoded;
    lastLsn = record.lsn;
    batch.lastLsn = record.lsn;
    const write = new Promise<DecodeResult>((resolve, reject) => {
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
            remedy: "Free space on the disk of the data folder. The service continues by itself.",
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
    lastWrite = write;
    return write;
  }

  /** Accepts a body without the spans of deleted conversations, which never reach the disk. */
  async function takeRest(body: ReceivedBody, dropped: DroppedTraces): Promise<void> {
    const rest = withoutTraces(decoder.plainBody(body), body.encoding, (id) => dropped.traceIds.has(id));
    const chunks = rest && [Buffer.from(rest)];
    await deleted.drop(dropped);
    if (chunks !== null) await takeNew({ ...body, compression: "identity", chunks });
  }

  function recheckWaiting(): void {
    for (const recheck of waiting) recheck();
  }

  /** Resolves when the store has room for more spans. Rejects after `deadline`, or when too many bodies already wait. */
  function waitForRoom(bytes: number, deadline: number): Promise<void> {
    return new Promise((resolve, reject) => {
      if (waiting.size >= WAITING_MAX || waitingBytes + bytes > WAITING_BYTES_MAX) throw tooBusy();
      waitingBytes += bytes;
      loader.commitSoon();
      const finish = (end: () => void) => {
        clearTimeout(timer);
        waiting.delete(recheck);
        waitingBytes -= bytes;
        end();
      };
      const recheck = () => {
        if (!isOpen()) finish(() => reject(unavailable("The service is stopping; send the spans again later.", 5)));
        else if (!catchUp.isLive() || catchUp.queue().hasRoom()) finish(resolve);
      };
      const timer = setTimeout(() => finish(() => reject(tooBusy())), deadline - performance.now());
      waiting.add(recheck);
    });
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
      if (error instanceof NewerRecord) newer.add(record.lsn);
      else log.error({ err: error, lsn: record.lsn }, "a body in the journal cannot be decoded and is skipped");
    }
    batch.lastLsn = record.lsn;
    durableLsn = Math.max(durableLsn, record.lsn);
    into.durable(record.lsn);
  }

  async function drain(): Promise<void> {
    await catchUp.running();
    catchUp.queue().flush();
    await loader.drain();
  }

  async function loaded(): Promise<void> {
    if (catchUp.running() !== undefined) await catchUp.running();
    if (lastLsn > durableLsn) await lastWrite.catch(() => undefined);
    await committed(catchUp.queue());
  }

  /** Resolves once the records that are on disk now are in the trace store. Also resolves if the store has opened again meanwhile. */
  async function committed(into: BatchQueue): Promise<void> {
    const lsn = durableLsn;
    while (loader.loadedLsn() < lsn && !into.isDiscarded()) {
      if (!loader.reachable()) throw unavailable("The trace store is not reachable; try again later.", 30);
      loader.commitSoon();
      await progress();
    }
  }

  /** Resolves when the store has committed spans, derived conversations or opened again. */
  function progress(): Promise<void> {
    return new Promise((resolve) => void awaiting.add(resolve));
  }

  function noteProgress(): void {
    for (const resolve of awaiting) resolve();
    awaiting.clear();
  }

  async function close(): Promise<void> {
    closed = true;
    catchUp.stop();
    stopped.resolve();
    recheckWaiting();
    await journal.close();
    await catchUp.running();
    await damage.close();
    newer.close();
    if (!catchUp.isLive()) return;
    catchUp.queue().flush();
    if (loader.reachable()) await committed(catchUp.queue());
  }

  const acknowledgedLsn = () => durableLsn;
  const isCatchingUp = () => catchUp.running() !== undefined;
  return { take, drain, loaded, isCatchingUp, acknowledgedLsn, forgetBodies: outcomes.clear, close };
}

const tooBusy = () => unavailable("More spans arrive than the service can store; send them again later.", 2);
