import { existsSync } from "node:fs";
import { setImmediate as nextTurn, setTimeout as delay } from "node:timers/promises";
import { sql } from "kysely";
import { type Db, isStoreUnavailable } from "../../../stores/relational.ts";
import type { SqliteFile } from "../../../stores/sqlite/sqlite.ts";
import { StoreDamage } from "../../../stores/sqlite/store-damage.ts";
import { type ReadingLoop, startReadingLoop } from "../index/reading-loop.ts";
import { FormerIndex } from "../index/schema.ts";
import { addTraceSums, type TraceSums } from "../index/trace-sums.ts";
import { inTransaction } from "../index/transaction.ts";
import { addSums } from "../index/writes.ts";
import { type SealedBatch, SpanBatch } from "../../span-batch.ts";
import { databaseFile } from "../duckdb/database-file.ts";
import { isDamage as isDuckDbDamage, isDamageAtOpen } from "../duckdb/damage.ts";
import { openSamples, type Samples } from "../duckdb/samples.ts";
import { addBodies, addBodyRows, type BodyRow } from "./bodies.ts";
import { hasIndex, openIndexFile } from "./index-file.ts";
import type { CommitProgress, ThreadLog } from "./messages.ts";
import type { ReaderThread } from "./reader-thread-client.ts";
import { createFolderReader } from "./read-round.ts";
import { removeDatabases, setAside } from "./set-aside.ts";
import { createWaitingSamples, readUnmovedAgain } from "./waiting-samples.ts";

export type FolderParts = {
  db: Db;
  samples: Samples;
  loop: ReadingLoop;
  loadedLsn: number;
  add: (batch: SealedBatch) => void;
  /** Commits the waiting batches, up to the size of one commit. */
  commitWaiting: () => Promise<void>;
  /** Commits every added batch, and then runs `work` while no conversation is derived. */
  alone: <T>(work: () => Promise<T>) => Promise<T>;
  moveSamples: () => Promise<void>;
  /** Writes the log of the index into its file and empties the log, because it still contains deleted rows. */
  emptyLog: () => void;
  /** Resolves once every added batch is committed, its conversations are derived, and their samples are pooled. */
  drain: () => Promise<void>;
  /** Commits every added batch, then closes the files. Conversations that are not derived yet are derived after the next start. */
  close: () => Promise<void>;
  /** Starts no further work and closes the files as they are. Call `abandon` after a failure. */
  abandon: () => Promise<void>;
};

export type FolderOptions = {
  dataDir: string;
  memoryLimitMb: number;
  damaged: boolean;
  log: ThreadLog;
  reader: ReaderThread;
  onCommitted: (progress: CommitProgress) => void;
  /**
   * Called after a group of conversations was derived, with the time from which the longest waiting conversation is due, in Unix
   * milliseconds; undefined if no conversation waits.
   */
  onRead: (dueSinceMs: number | undefined) => void;
  /** Called with the error when the store refuses a write, which it then retries, and with undefined when a write succeeds again. */
  onWriteRefused: (error: unknown) => void;
  /** Called with a fatal error. Nothing is written after this error, and the caller must call `abandon`. */
  onFailed: (error: unknown) => void;
};

/** Time between two commits if no caller waits for a commit. */
const PACE_MS = 1_000;
const RETRY_MS = 1_000;
/** A commit takes whole batches from the queue until it has at least this many spans, or the queue is empty. */
const SPANS_PER_COMMIT = 8_192;
/** Longest time for which a read of conversations waits for a commit. */
const READ_WAIT_MS = 1_000;
const SAMPLES_MS = 20_000;

/** If files are damaged, sets them aside and creates empty files. */
export async function openFolder(options: FolderOptions): Promise<FolderParts> {
  const { dataDir, damaged } = options;
  // The index is of no use without the samples, and the samples are of no use without the index.
  if (damaged || !hasIndex(dataDir) || !existsSync(databaseFile(dataDir))) setAside(dataDir);
  try {
    return await openUndamaged(options);
  } catch (error) {
    if (error instanceof FormerIndex) {
      options.log("info", "an earlier version wrote the index of conversations; it is built again from the journal");
      removeDatabases(dataDir);
      return openUndamaged(options);
    }
    if (!(error instanceof StoreDamage) && !isDamageAtOpen(error)) throw error;
    options.log("error", "the trace store is damaged; its files are set aside", { error });
    setAside(dataDir);
    return openUndamaged(options);
  }
}

async function openUndamaged(options: FolderOptions): Promise<FolderParts> {
  const { dataDir, memoryLimitMb, log, onFailed } = options;
  const index = await openIndexFile(dataDir, (error) =>
    log("warn", "the checksums of the trace store could not be written", { error }),
  );
  try {
    const samples = await openSamples({ dataDir, memoryLimitMb, log, onFailed });
    try {
      return await start(index, samples, options);
    } catch (error) {
      await samples.close(false);
      throw error;
    }
  } catch (error) {
    await index.close();
    throw error;
  }
}

async function start(
  index: SqliteFile,
  samples: Samples,
  { reader, log, onCommitted, onRead, onWriteRefused, onFailed }: FolderOptions,
): Promise<FolderParts> {
  const { db } = index;
  const { rows } = await sql<{ lsn: number; reading: number; moved: number }>`
    SELECT lsn, reading, moved_reading AS moved FROM trace_index`.execute(db);
  const { lsn: loadedLsn, reading, moved } = rows[0]!;
  if (samples.lastReading() < moved || samples.lastReading() > reading)
    throw new StoreDamage("The samples are not those of the index.", "");
  // Ends the leases of a process that was killed.
  await sql`UPDATE conversations SET leased_until_ms = 0 WHERE due_ms IS NOT NULL AND leased_until_ms > 0`.execute(db);
  await readUnmovedAgain(db, samples);
  const waiting = createWaitingSamples(db, samples);
  const queue: SealedBatch[] = [];
  const works: (() => Promise<void>)[] = [];
  let isRefused = false;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  let commitAt = 0;
  let running: Promise<void> | undefined;
  let lastRound: Promise<unknown> = Promise.resolve();
  let isBehind = false;

  const errors = { error: (details: object, message: string) => log("error", message, details) };
  const readRound = createFolderReader(db, reader, waiting, errors);
  const loop = startReadingLoop(
    db,
    async (all) => {
      await lastRound;
      if (isClosed) return { any: false, lagMs: 0 };
      const round = readRound(all);
      lastRound = round.catch(() => undefined);
      const result = await round;
      // Lets lists and other calls run before the next conversations are derived.
      await nextTurn();
      if (result.any || isBehind) onRead(result.lagMs > 0 ? Date.now() - result.lagMs : undefined);
      isBehind = result.any;
      return result;
    },
    errors,
  );

  async function commit(): Promise<void> {
    let spans = 0;
    const end = queue.findIndex((batch) => (spans += batch.rows) >= SPANS_PER_COMMIT);
    const batches = end === -1 ? [...queue] : queue.slice(0, end + 1);
    const lsn = Math.max(...batches.map(({ lastLsn }) => lastLsn));
    const traces = new Map<string, TraceSums>();
    const bodies = new Map<string, BodyRow>();
    for (const sealed of batches) {
      const batch = SpanBatch.opened(sealed);
      const { received_ms: receivedMs } = batch.columns;
      addTraceSums(traces, batch, (row) => receivedMs[row]!);
      addBodyRows(bodies, batch);
    }
    await inTransaction(db, async (tx) => {
      if (traces.size > 0) await addSums(tx, [...traces.values()]);
      await addBodies(tx, bodies);
      await sql`UPDATE trace_index SET lsn = max(lsn, ${lsn})`.execute(tx);
    });
    queue.splice(0, batches.length);
    if (isRefused) onWriteRefused(undefined);
    isRefused = false;
    onCommitted({ lsn, batches: batches.length });
    loop.wake();
  }

  /** Commits the waiting batches. If no batch is left, runs the next task. */
  async function step(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    commitAt = performance.now() + PACE_MS;
    try {
      if (queue.length > 0) await commit();
    } catch (error) {
      if (!isStoreUnavailable(error)) throw error;
      if (!isRefused) log("error", "the trace store could not write and tries again", { error });
      if (!isRefused) onWriteRefused(error);
      isRefused = true;
      commitAt = performance.now() + RETRY_MS;
      return;
    }
    if (queue.length === 0) await works.shift()?.();
  }

  function wake(): void {
    if (running !== undefined || isClosed || (queue.length === 0 && works.length === 0)) return;
    clearTimeout(timer);
    const isUrgent = works.length > 0 || queue.reduce((sum, { rows: own }) => sum + own, 0) >= SPANS_PER_COMMIT;
    const at = isUrgent && !isRefused ? 0 : commitAt;
    timer = setTimeout(runStep, Math.max(0, at - performance.now()));
  }

  function runStep(): void {
    if (running !== undefined || isClosed) return;
    running = step()
      .catch(onFailed)
      .finally(() => {
        running = undefined;
        wake();
      });
  }

  function alone<T>(work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      works.push(async () => {
        const done = lastRound.then(work);
        lastRound = done.catch(() => undefined);
        await done.then(resolve, reject);
      });
      wake();
    });
  }

  const mover = setInterval(() => {
    waiting.move().catch((error: unknown) => {
      if (isDamage(error)) return onFailed(error);
      log("error", "samples could not be stored; the service tries again", { error });
    });
  }, SAMPLES_MS);

  async function stop(isWhole: boolean): Promise<void> {
    isClosed = true;
    clearTimeout(timer);
    clearInterval(mover);
    await running;
    await loop.close();
    await reader.close();
    await waiting.settled();
    await samples.close(isWhole);
    await index.close();
  }

  return {
    db,
    samples,
    loop,
    loadedLsn,
    add(batch) {
      if (isClosed) return;
      queue.push(batch);
      wake();
    },
    async commitWaiting() {
      if (queue.length === 0 || isRefused) return;
      runStep();
      await Promise.race([running, delay(READ_WAIT_MS, undefined, { ref: false })]);
    },
    alone,
    moveSamples: waiting.move,
    emptyLog: index.emptyLog,
    async drain() {
      await alone(async () => undefined);
      await loop.drain();
      await waiting.move();
      await samples.pool();
      onRead(undefined);
    },
    async close() {
      await alone(async () => undefined);
      await waiting.move().catch(() => undefined);
      await stop(true);
    },
    abandon: () => stop(false),
  };
}

export const isDamage = (error: unknown): boolean =>
  error instanceof StoreDamage ||
  /^SQLITE_(CORRUPT|NOTADB)/.test(String((error as { code?: unknown } | null)?.code)) ||
  isDuckDbDamage(error);
