import { setTimeout as delay } from "node:timers/promises";
import type { Conditions } from "../../base/conditions.ts";
import type { Log } from "../../base/log/log.ts";
import { type BatchQueue, createBatchQueue } from "./batch-queue.ts";
import type { JournalDamage } from "../journal/damage.ts";
import type { Journal, PlacedRecord } from "../journal/journal.ts";
import type { SpanLoader } from "../store/trace-store.ts";

/** A catch-up loads the journal records that the store lacks, at the start and each time the store opens again. */
type CatchUp = {
  /** Returns the queue of the current catch-up. Each catch-up creates a new queue. */
  queue: () => BatchQueue;
  /**
   * Returns whether new bodies go to the store directly after the journal. Otherwise they go only to the journal, and the catch-up loads
   * them from there.
   */
  isLive: () => boolean;
  /** Returns a promise while the catch-up waits until its last records are on disk. New bodies must wait for this promise. */
  goingLive: () => Promise<void> | undefined;
  running: () => Promise<void> | undefined;
  /** Loads the records that the store lacks; rejects when the journal cannot be read. */
  run: () => Promise<void>;
  /** Starts `run` in the background, and reports a journal that cannot be read as a condition. */
  start: () => void;
  /** Stops the catch-up. The next start of the service loads the remaining records. */
  stop: () => void;
};

type CatchUpOptions = {
  journal: Journal;
  loader: SpanLoader;
  log: Log;
  conditions: Conditions;
  damage: JournalDamage;
  bytesInFlightMax: number;
  replay: (placed: PlacedRecord, into: BatchQueue) => void;
  committed: (into: BatchQueue) => Promise<void>;
};

/** The longest time for which a replay blocks other work. */
const SLICE_MS = 10;
const REBUILDING = "trace_store_rebuilding";

export function createCatchUp({
  journal,
  loader,
  log,
  conditions,
  damage,
  bytesInFlightMax,
  replay,
  committed,
}: CatchUpOptions): CatchUp {
  let queue = createBatchQueue(loader, bytesInFlightMax);
  let isLive = false;
  let isStopped = false;
  let running: Promise<void> | undefined;
  let goingLive: Promise<void> | undefined;

  /** During the run, new bodies go only to the journal, from which the run loads them, and the store rejects reads. */
  async function run(): Promise<void> {
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
    if (into.isDiscarded() || isStopped) return;
    running = undefined;
    loader.holdReads(false);
    conditions.clear(REBUILDING);
    if (records > 0) log.info({ records, tookMs: Math.round(performance.now() - start) }, "replayed the journal");
  }

  async function runAndReport(): Promise<void> {
    try {
      await run();
    } catch (error) {
      conditions.report({
        code: "journal_unreadable",
        message: "The journal cannot be read, so that conversations cannot be read either.",
        remedy: "Read the reason in the log, make the journal readable, and restart the service.",
        error,
      });
    }
  }

  /** Loads all records with numbers above `lsn`, then sets `isLive`. */
  async function loadAbove(lsn: number, into: BatchQueue): Promise<number> {
    const gate = Promise.withResolvers<void>();
    let records = 0;
    let sliceEnds = performance.now() + SLICE_MS;
    for (const placed of journal.recordsAbove(lsn, (segment, stretch) => damage.add(segment, stretch, lsn))) {
      if (into.isDiscarded() || isStopped) break;
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
        if (into.isDiscarded() || isStopped) break;
        sliceEnds = performance.now() + SLICE_MS;
      }
    }
    if (goingLive === gate.promise) goingLive = undefined;
    gate.resolve();
    return records;
  }

  function reportRebuild(bytes: number): void {
    conditions.report({
      code: REBUILDING,
      needsAction: false,
      message: `The trace store is empty and is built again from ${bytes} bytes of the journal. Until then conversations cannot be read; new spans are accepted.`,
      remedy: "Wait until it is done; the log says when.",
    });
  }

  return {
    queue: () => queue,
    isLive: () => isLive,
    goingLive: () => goingLive,
    running: () => running,
    run,
    start: () => void (running = runAndReport()),
    stop: () => void (isStopped = true),
  };
}
