import { setTimeout as delay } from "node:timers/promises";
import { unavailable } from "../errors.ts";
import type { Log } from "../log.ts";
import { BYTES_IN_FLIGHT_MAX, collectBatches } from "./journal/batches.ts";
import { journalDir } from "./journal/segments.ts";
import { bodyKey, rememberOutcomes } from "./journal/resent.ts";
import { openJournal } from "./journal/journal.ts";
import type { JournalDisk } from "./journal/disk.ts";
import { bodyBytes, type JournalRecord } from "./journal/record.ts";
import { decodeRecord } from "./otlp/decode-record.ts";
import type { Decoded } from "./otlp/span-rows.ts";
import type { Analytics } from "./store/analytics.ts";

type ReceivedBody = Pick<JournalRecord, "project" | "encoding" | "gzip"> & { chunks: Buffer[] };

export type Intake = {
  /** Resolves once the body is on disk, with what was taken of it; a body that was taken before is answered as then. */
  take: (body: ReceivedBody) => Promise<Decoded>;
  /** While nothing more comes: everything taken is in the tables and its conversations are read. */
  settle: () => Promise<void>;
  /** Resolves once everything that was taken before can be read. */
  loaded: () => Promise<void>;
  /** Refuses what comes from now on; everything taken is in the tables, or stays in the journal for the next start. */
  close: () => Promise<void>;
};

type Options = {
  dataDir: string;
  analytics: Analytics;
  log: Log;
  disk?: JournalDisk;
  holdMs?: number;
  bytesInFlightMax?: number;
};

const HELD_MAX = 1_000;
const HELD_BYTES_MAX = 256 * 1024 * 1024;
const HOLD_MS = 5_000;

/** Opens the way in for trace bodies: decode, journal, hand over. What an earlier run left in the journal goes first. */
export async function openIntake({
  dataDir,
  analytics,
  log,
  disk,
  holdMs = HOLD_MS,
  bytesInFlightMax = BYTES_IN_FLIGHT_MAX,
}: Options): Promise<Intake> {
  const journal = openJournal(journalDir(dataDir), disk);
  const batches = collectBatches(analytics, bytesInFlightMax);
  const outcomes = rememberOutcomes<Decoded>();
  const held = new Set<() => void>();
  let heldBytes = 0;
  let lastLsn = Math.max(analytics.loadedLsn(), journal.newestSegmentLsn);
  let closed = false;

  analytics.onProgress(lookAgain);
  await replay();

  function take(body: ReceivedBody): Promise<Decoded> {
    const key = bodyKey(body);
    const before = outcomes.find(key);
    if (before !== undefined) return before;
    const outcome = takeNew(body);
    outcomes.keep(key, outcome);
    return outcome;
  }

  async function takeNew(body: ReceivedBody): Promise<Decoded> {
    if (!isOpen()) throw unavailable("The trace store is not reachable; send the spans again later.", 30);
    const deadline = performance.now() + holdMs;
    while (!batches.hasRoom()) await room(bodyBytes(body.chunks), deadline);
    const batch = batches.current();
    const mark = batch.mark();
    const record: JournalRecord = { ...body, lsn: lastLsn + 1, receivedMs: Date.now() };
    const decoded = decodeRecord(record, batch, { index: true });
    if (decoded.accepted === 0) {
      batch.truncate(mark);
      return decoded;
    }
    lastLsn = record.lsn;
    batch.lastLsn = record.lsn;
    return new Promise((resolve, reject) => {
      journal.append(record, (error, place) => {
        if (error === null) {
          batch.locate(mark.rows, mark.rows + decoded.accepted, place);
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

  /** Those that still find no room stay. */
  function lookAgain(): void {
    for (const look of held) look();
  }

  const isOpen = () => !closed && analytics.reachable();

  /** Waits until the loader has caught up, within bounds of time and memory. */
  function room(bytes: number, deadline: number): Promise<void> {
    return new Promise((resolve, reject) => {
      if (held.size >= HELD_MAX || heldBytes + bytes > HELD_BYTES_MAX) throw full();
      heldBytes += bytes;
      const settle = (end: () => void) => {
        clearTimeout(timer);
        held.delete(look);
        heldBytes -= bytes;
        end();
      };
      const look = () => {
        if (!isOpen()) settle(() => reject(unavailable("The service is stopping; send the spans again later.", 5)));
        else if (batches.hasRoom()) settle(resolve);
      };
      const timer = setTimeout(() => settle(() => reject(full())), deadline - performance.now());
      held.add(look);
    });
  }

  async function replay(): Promise<void> {
    const start = performance.now();
    const torn = (path: string, bytes: number) =>
      log.warn(
        { path, bytes },
        "a journal segment ends in bytes that are no whole record: a write that was never acknowledged, unless the file was spoilt",
      );
    let records = 0;
    for (const { record, place } of journal.recordsAbove(analytics.loadedLsn(), torn)) {
      while (!batches.hasRoom()) {
        if (!analytics.reachable()) throw new Error("The trace store stopped while the journal was replayed.");
        await delay(5);
      }
      records++;
      lastLsn = Math.max(lastLsn, record.lsn);
      const batch = batches.current();
      const from = batch.rows;
      try {
        const decoded = decodeRecord(record, batch, { index: true });
        batch.locate(from, batch.rows, place);
        outcomes.keep(bodyKey(record), Promise.resolve(decoded));
      } catch (error) {
        log.error({ err: error, lsn: record.lsn }, "a body in the journal cannot be decoded and is left out");
      }
      batch.lastLsn = record.lsn;
      batches.durable(record.lsn);
    }
    batches.flush();
    if (records > 0) log.info({ records, tookMs: Math.round(performance.now() - start) }, "replayed the journal");
  }

  async function settle(): Promise<void> {
    batches.flush();
    await analytics.settle();
  }

  async function close(): Promise<void> {
    closed = true;
    lookAgain();
    await journal.close();
    batches.flush();
    if (analytics.reachable()) await loaded();
  }

  async function loaded(): Promise<void> {
    const lsn = lastLsn;
    while (analytics.loadedLsn() < lsn) {
      if (!analytics.reachable()) throw unavailable("The trace store is not reachable; try again later.", 30);
      await progress();
    }
  }

  const progress = () =>
    new Promise<void>((resolve) => {
      const off = analytics.onProgress(() => {
        off();
        resolve();
      });
    });

  return { take, loaded, settle, close };
}

const full = () => unavailable("More spans come than can be stored at the moment; send them again later.", 2);
