import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import type { RecordAddress, SealedBatch } from "../../span-batch.ts";
import type { JournalVersion } from "../journal-version.ts";
import { openProjectorThread } from "../projector/thread-client.ts";
import { commitStaged, type StagedRows } from "./commit.ts";
import { isDamage, isDamageAtOpen } from "./damage.ts";
import { type Database, type DatabaseConnection, isFatal, openDatabase, ROW_GROUP_ROWS } from "./database.ts";
import { databaseFile } from "./database-file.ts";
import { checkFiles, openFileSums } from "./file-sums.ts";
import type { CommitProgress, ThreadLog } from "./messages.ts";
import type { WatchedTrace } from "./due-readings.ts";
import { createPoolSchedule } from "./pool-schedule.ts";
import { createProjector } from "./projector.ts";
import { createReadingRounds, type Work } from "./reading-rounds.ts";
import { createReadingSchedule } from "./reading-schedule.ts";
import { createRecentSpans } from "./recent-spans.ts";
import { DatabaseLost, removeUnfinishedRewrite, rewriteDatabase } from "./rewrite.ts";
import { prepareTables } from "./schema.ts";
import { setAside } from "./set-aside.ts";
import { createStaging } from "./staging.ts";

type Loader = {
  loadedLsn: number;
  read: DatabaseConnection;
  /** The days that have a table. */
  days: Set<number>;
  add: (batch: SealedBatch) => void;
  /** Reads these conversations first for a while. */
  watch: (traces: readonly WatchedTrace[]) => void;
  /** Makes the next commit as soon as it may follow the last one. */
  commitSoon: () => void;
  /**
   * Resolves once the few rows that were added before the last pause are committed, and at the latest after `READ_WAIT_MS`. It does
   * not wait for many rows, whose commit is under way.
   */
  caughtUp: () => Promise<void>;
  /** Runs `work` on the writing connection once every batch that was added is committed. */
  afterCommit: <T>(work: (write: DatabaseConnection) => Promise<T>) => Promise<T>;
  /**
   * Rewrites the database file if it holds erased rows, and returns whether it did. `alone` runs its work while no read is
   * under way.
   */
  rewrite: (alone: (work: () => Promise<void>) => Promise<void>) => Promise<boolean>;
  /** Resolves once every batch that was added is committed, its conversations are read and their samples are pooled. */
  drain: () => Promise<void>;
  /** Commits every batch that was added, then closes the database; unread conversations are read after the next start. */
  close: () => Promise<void>;
  /** Starts no further work and closes the database as it is; call it after a failure. */
  abandon: () => Promise<void>;
};

/** The least time between two commits of less than a row group. */
const PACE_MS = 250;
/** The same for few rows while no read waits: their commit costs almost as much as one of many rows. */
const UNREAD_PACE_MS = 1_000;
const FEW_ROWS = 4_096;
/** The longest time that a read waits for the commit of few rows. */
const READ_WAIT_MS = 1_000;
const RETRY_MS = 1_000;
const IDLE_MS = 2_000;
const CHECKPOINT_BYTES = 4 * 1024 * 1024;

type LoaderOptions = {
  dataDir: string;
  journalVersion: JournalVersion;
  memoryLimitMb: number;
  damaged: boolean;
  log: ThreadLog;
  onCommitted: (progress: CommitProgress) => void;
  /** Is called after each round of readings; receives since when the longest waiting conversation is due, in Unix milliseconds. */
  onProjected: (dueSinceMs: number | undefined) => void;
  /** Receives the error of a write that the loader tries again, and undefined once a write succeeds. */
  onWriteRefused: (error: unknown) => void;
  /** Receives the address of each record of the journal that cannot be read. */
  onDamagedRecord: (address: RecordAddress) => void;
  /** Receives a fatal error, after which nothing more is written: call `abandon`. */
  onFailed: (error: unknown) => void;
};

/**
 * Opens the database and moves batches into its tables: a commit per row group, or after a pause when fewer rows
 * arrive. Sets a damaged database aside and creates an empty one.
 */
export async function openLoader(options: LoaderOptions): Promise<Loader> {
  removeUnfinishedRewrite(options.dataDir);
  if (options.damaged || !existsSync(databaseFile(options.dataDir))) setAside(options.dataDir);
  try {
    return await openUndamaged(options);
  } catch (error) {
    if (!isDamageAtOpen(error)) throw error;
    options.log("error", "the trace store is damaged; its files are set aside", { error });
    setAside(options.dataDir);
    return openUndamaged(options);
  }
}

async function openUndamaged(options: LoaderOptions): Promise<Loader> {
  const unchecked = checkFiles(options.dataDir);
  const database = await openDatabase(options.dataDir, options.memoryLimitMb);
  try {
    return await startLoader(database, unchecked, options);
  } catch (error) {
    database.close();
    throw error;
  }
}

async function startLoader(
  database: Database,
  unchecked: Iterable<number>,
  { dataDir, journalVersion, log, onCommitted, onProjected, onFailed, onWriteRefused, onDamagedRecord }: LoaderOptions,
): Promise<Loader> {
  const { write, statements } = database;
  const { loadedLsn, days } = await prepareTables(write);
  const projector = openProjectorThread({ dataDir, journalVersion }, onDamagedRecord);
  const sums = openFileSums(dataDir, unchecked, log, onFailed);
  const recent = createRecentSpans();
  const staging = await createStaging(write, recent);
  const schedule = createReadingSchedule(statements, await createProjector(database, projector, days, log));
  const pools = createPoolSchedule(write);
  const rounds = createReadingRounds({
    schedule,
    log,
    isOverloaded: rowGroupIsFull,
    onStored: () => {
      onProjected(schedule.dueSinceMs());
      pools.outdate();
    },
    onRead: wake,
  });

  const queue: { batch: SealedBatch; stagedRows: number }[] = [];
  const requests: (() => Promise<void>)[] = [];
  let stagedBatches = 0; // in the appender
  let unfinished: { staged: StagedRows; batches: number } | undefined; // in the staging table, of a commit that failed
  let grown = true; // the write-ahead log may have grown since the last checkpoint
  let busy = false;
  let isRefused = false; // the last write
  let running: Promise<void> | undefined;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  let notBefore = 0; // after a failure
  let committedAt = 0;
  let isAwaited = false; // the next commit
  const awaiting: (() => void)[] = [];

  const hasRows = () => queue.length > 0 || stagedBatches > 0 || unfinished !== undefined;

  function rowGroupIsFull(): boolean {
    return staging.waitingRows() >= ROW_GROUP_ROWS;
  }

  /**
   * Fills one row group and not a row more: DuckDB writes whole row groups past its log, and rewrites the neighbours of
   * incomplete ones at the next checkpoint.
   */
  function stage(): void {
    for (let head = queue[0]; head !== undefined && !rowGroupIsFull(); head = queue[0]) {
      const end = Math.min(head.batch.rows, head.stagedRows + ROW_GROUP_ROWS - staging.waitingRows());
      staging.add(head.batch, head.stagedRows, end);
      head.stagedRows = end;
      if (end < head.batch.rows) return;
      queue.shift();
      stagedBatches++;
    }
  }

  function commitSoon(): void {
    isAwaited = true;
    wake();
  }

  const areFew = () => staging.waitingRows() + (unfinished?.staged.rows ?? 0) <= FEW_ROWS;
  const paceMs = () => (areFew() && !isAwaited ? UNREAD_PACE_MS : PACE_MS);

  async function caughtUp(): Promise<void> {
    if (closed || isRefused || !hasRows() || performance.now() < committedAt + PACE_MS || !areFew()) return;
    commitSoon();
    let timeout: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      awaiting.push(resolve);
      timeout = setTimeout(resolve, READ_WAIT_MS);
    });
    clearTimeout(timeout);
  }

  async function commit(): Promise<void> {
    isAwaited = false;
    if (unfinished === undefined) {
      unfinished = { staged: staging.flush(), batches: stagedBatches };
      stagedBatches = 0;
    }
    const { staged, batches } = unfinished;
    await commitStaged(database, days, staged, recent.since());
    await staging.empty().catch((error: unknown) => {
      throw new FatalError("The committed rows could not be removed from the staging table.", { cause: error });
    });
    unfinished = undefined;
    if (isRefused) onWriteRefused(undefined);
    isRefused = false;
    committedAt = performance.now();
    grown = true;
    schedule.outdate();
    onCommitted({ lsn: staged.lastLsn, batches });
    for (const resolve of awaiting.splice(0)) resolve();
  }

  async function checkpointLog(): Promise<void> {
    grown = false;
    const bytes = statSync(join(dataDir, "analytics.duckdb.wal"), { throwIfNoEntry: false })?.size ?? 0;
    if (bytes >= CHECKPOINT_BYTES) await write.run("CHECKPOINT analytics");
  }

  /** Returns the next work on the writing connection and its time; a request waits for rows and for the round of readings. */
  function next(): Work {
    const reading = after(notBefore, rounds.next());
    if (hasRows()) {
      if (requests.length > 0) return { at: notBefore, work: commit };
      if (pools.nextAt() <= performance.now()) return { at: notBefore, work: pools.makeRound };
      const commitAt = Math.max(notBefore, rowGroupIsFull() ? 0 : committedAt + paceMs());
      return reading.at <= Math.max(commitAt, performance.now()) ? reading : { at: commitAt, work: commit };
    }
    if (requests.length > 0) return rounds.isUnderWay() ? reading : { at: 0, work: () => requests.shift()!() };
    const idleWorks = [
      reading,
      after(notBefore, { at: pools.nextAt(), work: pools.makeRound }),
      { at: grown ? committedAt + IDLE_MS : Number.POSITIVE_INFINITY, work: checkpointLog },
    ];
    return idleWorks.reduce((earliest, work) => (work.at < earliest.at ? work : earliest));
  }

  async function step(work: () => Promise<void>): Promise<void> {
    busy = true;
    try {
      await work();
    } catch (error) {
      const isLast = [FatalError, DatabaseLost].some((type) => error instanceof type);
      if (isLast || isFatal(error) || isDamage(error)) throw error;
      if (!isRefused) log("error", "the loader could not write and tries again", { error });
      if (!isRefused) onWriteRefused(error);
      isRefused = true;
      notBefore = performance.now() + RETRY_MS;
    }
    sums.add();
    busy = false;
    wake();
  }

  function wake(): void {
    clearTimeout(timer);
    if (busy || closed) return;
    stage();
    const { at, work } = next();
    if (at === Number.POSITIVE_INFINITY) return;
    const startStep = () => {
      running = step(work);
      running.catch(onFailed);
    };
    timer = setTimeout(startStep, Math.max(0, at - performance.now()));
  }

  function afterCommit<T>(work: (write: DatabaseConnection) => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      requests.push(() => {
        schedule.outdate();
        pools.outdate();
        return work(write).then(resolve, (error: unknown) => {
          reject(error);
          if (error instanceof DatabaseLost) throw error;
        });
      });
      wake();
    });
  }

  function stop(): void {
    closed = true;
    clearTimeout(timer);
  }

  const rewrite = (alone: (work: () => Promise<void>) => Promise<void>) =>
    afterCommit(() => rewriteDatabase(database, dataDir, alone));

  const drain = () =>
    afterCommit(async () => {
      await schedule.readAll();
      await pools.makeAll();
      onProjected(schedule.dueSinceMs());
    });

  wake();
  return {
    loadedLsn,
    read: database.read,
    days,
    add: (batch) => {
      if (closed) return;
      queue.push({ batch, stagedRows: 0 });
      stage();
      wake();
    },
    watch(traces) {
      schedule.watch(traces);
      wake();
    },
    commitSoon,
    caughtUp,
    afterCommit,
    rewrite,
    drain,
    async abandon() {
      stop();
      await running?.catch(() => undefined);
      await projector.close();
      database.close();
      sums.close();
    },
    close: async () => {
      await afterCommit(async () => undefined);
      stop();
      await projector.close();
      await write.run("CHECKPOINT analytics");
      sums.close();
      database.close();
    },
  };
}

const after = (earliest: number, { at, work }: Work): Work => ({ at: Math.max(earliest, at), work });

class FatalError extends Error {}
