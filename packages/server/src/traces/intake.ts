import { setTimeout as delay } from "node:timers/promises";
import { type Conditions, createConditions } from "../conditions.ts";
import { unavailable } from "../errors.ts";
import type { Log } from "../log.ts";
import { BYTES_IN_FLIGHT_MAX, createBatchQueue } from "./batch-queue.ts";
import {
  createDeletedConversations,
  type DeletedConversations,
  type DroppedTraces,
} from "./erasure/deleted-conversations.ts";
import type { JournalDisk } from "./journal/disk.ts";
import { openJournal } from "./journal/journal.ts";
import { bodyKey, createRecentOutcomes } from "./journal/recent-outcomes.ts";
import { bodyBytes, type JournalRecord } from "./journal/record.ts";
import { journalDir } from "./journal/segments.ts";
import { createDecoder, NewerRecord } from "./otlp/decoder.ts";
import type { DecodeResult } from "./otlp/span-rows.ts";
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
  const batches = createBatchQueue(loader, bytesInFlightMax);
  const outcomes = createRecentOutcomes<DecodeResult>();
  const decoder = createDecoder();
  const waiting = new Set<() => void>();
  let waitingBytes = 0;
  let lastLsn = Math.max(loader.loadedLsn(), journal.newestSegmentLsn);
  let durableLsn = loader.loadedLsn(); // the last record that is on disk and in a batch
  let closed = false;

  const isOpen = () => !closed && loader.reachable();

  loader.onProgress(recheckWaiting);
  await replay();

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
    while (!batches.hasRoom()) await waitForRoom(bodyBytes(body.chunks), deadline);
    const batch = batches.current();
    const mark = batch.mark();
    const record: JournalRecord = { ...body, lsn: lastLsn + 1, receivedMs: Date.now() };
    const decoded = decoder.decodeRecord(record, batch, { index: true });
    const dropped = deleted.tracesIn(body.project, batch, mark.rows);
    if (decoded.accepted === 0 || dropped !== undefined) batch.truncate(mark);
    if (dropped !== undefined) await takeRest(body, dropped);
    if (decoded.accepted === 0 || dropped !== undefined) return decoded;
    lastLsn = record.lsn;
    batch.lastLsn = record.lsn;
    return new Promise((resolve, reject) => {
      journal.append(record, (error, address) => {
        if (error === null) {
          batch.setAddress(mark.rows, mark.rows + decoded.accepted, address);
          durableLsn = record.lsn;
          batches.durable(record.lsn);
          resolve(decoded);
        } else {
          batches.takeBack(batch, mark);
          log.error({ err: error }, "a body could not be written to the journal and was refused");
          reject(unavailable("The disk refused the spans; send them again later.", 5));
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
        else if (batches.hasRoom()) finish(resolve);
      };
      const timer = setTimeout(() => finish(() => reject(tooBusy())), deadline - performance.now());
      waiting.add(recheck);
    });
  }

  async function replay(): Promise<void> {
    const start = performance.now();
    const reportLost = (path: string, bytes: number) =>
      conditions.report({
        code: "journal_damaged",
        message: `A journal segment has ${bytes} bytes without a readable record (${path}): damage, or a body at its end that was never acknowledged.`,
        mend: "Check the disk and restore the data folder from a backup, or send the missing spans again.",
      });
    let records = 0;
    for (const { record, address } of journal.recordsAbove(loader.loadedLsn(), reportLost)) {
      while (!batches.hasRoom()) {
        if (!loader.reachable()) throw new Error("The trace store stopped while the journal was replayed.");
        await delay(5);
      }
      records++;
      lastLsn = Math.max(lastLsn, record.lsn);
      const batch = batches.current();
      const from = batch.rows;
      try {
        const decoded = decoder.decodeRecord(record, batch, { index: true });
        batch.setAddress(from, batch.rows, address);
        outcomes.add(bodyKey(record), Promise.resolve(decoded));
      } catch (error) {
        if (error instanceof NewerRecord) throw error;
        log.error({ err: error, lsn: record.lsn }, "a body in the journal cannot be decoded and is skipped");
      }
      batch.lastLsn = durableLsn = record.lsn;
      batches.durable(record.lsn);
    }
    batches.flush();
    if (records > 0) log.info({ records, tookMs: Math.round(performance.now() - start) }, "replayed the journal");
  }

  async function drain(): Promise<void> {
    batches.flush();
    await loader.drain();
  }

  async function loaded(): Promise<void> {
    const lsn = durableLsn;
    while (loader.loadedLsn() < lsn) {
      if (!loader.reachable()) throw unavailable("The trace store is not reachable; try again later.", 30);
      await progress();
    }
  }

  const progress = () =>
    new Promise<void>((resolve) => {
      const stopListening = loader.onProgress(() => {
        stopListening();
        resolve();
      });
    });

  async function close(): Promise<void> {
    closed = true;
    recheckWaiting();
    await journal.close();
    batches.flush();
    if (loader.reachable()) await loaded();
  }

  const acknowledgedLsn = () => durableLsn;
  return { take, drain, loaded, acknowledgedLsn, forgetBodies: outcomes.clear, close };
}

const tooBusy = () => unavailable("More spans arrive than the service can store; send them again later.", 2);
