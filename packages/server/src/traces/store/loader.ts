import { statSync } from "node:fs";
import { join } from "node:path";
import { type Connection, isFatal, openAnalyticsFile, ROW_GROUP_ROWS } from "../../stores/analytics.ts";
import { type Bodies, openBodies } from "./bodies.ts";
import { commitStaged, type Staged } from "./commit.ts";
import { openProjector } from "./projector.ts";
import { rememberSpans } from "./seen.ts";
import { openStaging } from "./staging.ts";
import { journalDir } from "../journal/segments.ts";
import type { SealedBatch } from "../span-batch.ts";
import { openTables } from "./schema.ts";

export type LoaderLog = (level: "info" | "warn" | "error", message: string, details?: object) => void;

/** `batches` more are committed, and with them every record up to `lsn`. */
export type Committed = { lsn: number; batches: number };

type Loader = {
  loadedLsn: number;
  read: Connection;
  bodies: Bodies;
  days: Set<number>;
  add: (batch: SealedBatch) => void;
  /** Runs `work` on the writing connection, after all that was added is committed. */
  ask: <T>(work: (write: Connection) => Promise<T>) => Promise<T>;
  /** All that was added is committed and projected. */
  settle: () => Promise<void>;
  close: () => Promise<void>;
  /** Starts nothing more, after a failure. */
  stop: () => void;
};

/** Between two commits that are smaller than a row group, and between two projections while rows come. */
const PACE_MS = 250;
/** While rows come, a projection is followed by so many times its own duration without one. */
const PROJECTION_SHARE = 19;
const RETRY_MS = 1_000;
const IDLE_MS = 2_000;
const CHECKPOINT_BYTES = 4 * 1024 * 1024;

type Options = { dataDir: string; memoryLimitMb: number; log: LoaderLog; onCommitted: (committed: Committed) => void };

/** Moves batches into the tables: one commit per row group, or per short while when less comes. */
export async function openLoader({ dataDir, memoryLimitMb, log, onCommitted }: Options): Promise<Loader> {
  const file = await openAnalyticsFile(dataDir, memoryLimitMb);
  const { write } = file;
  const { loadedLsn, days } = await openTables(write);
  const bodies = openBodies(journalDir(dataDir));
  const seen = rememberSpans();
  const staging = await openStaging(write, seen);
  const projector = await openProjector(write, bodies, days, log);

  const queue: { batch: SealedBatch; staged: number }[] = [];
  const asked: (() => Promise<void>)[] = [];
  let stagedBatches = 0; // in the appender
  let unfinished: { staged: Staged; batches: number } | undefined; // in the staging table, of a commit that failed
  let changed = true; // since the last projection
  let grown = true; // since the last look at DuckDB's log
  let busy = false;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  let notBefore = 0; // after a failure
  let committedAt = 0;
  let projectAt = 0;

  const hasRows = () => queue.length > 0 || stagedBatches > 0 || unfinished !== undefined;
  const rowGroupIsFull = () => staging.waitingRows() >= ROW_GROUP_ROWS;

  /**
   * Fills up to one row group and not a row more: DuckDB writes whole ones past its log, and rewrites at the next
   * checkpoint the neighbours of those that are not whole.
   */
  function stage(): void {
    for (let head = queue[0]; head !== undefined && !rowGroupIsFull(); head = queue[0]) {
      const end = Math.min(head.batch.rows, head.staged + ROW_GROUP_ROWS - staging.waitingRows());
      staging.add(head.batch, head.staged, end);
      head.staged = end;
      if (end < head.batch.rows) return;
      queue.shift();
      stagedBatches++;
    }
  }

  async function commit(): Promise<void> {
    if (unfinished === undefined) {
      unfinished = { staged: staging.flush(), batches: stagedBatches };
      stagedBatches = 0;
    }
    const { staged, batches } = unfinished;
    await commitStaged(write, days, staged, seen.since());
    await staging.empty().catch((error: unknown) => {
      throw new FatalError("The committed rows could not be cleared away.", { cause: error });
    });
    unfinished = undefined;
    committedAt = performance.now();
    changed = grown = true;
    onCommitted({ lsn: staged.lastLsn, batches });
  }

  async function projectSome(): Promise<void> {
    const start = performance.now();
    changed = await projector.projectSome();
    const end = performance.now();
    projectAt = end + Math.max(PACE_MS, PROJECTION_SHARE * (end - start));
  }

  async function checkpointLog(): Promise<void> {
    grown = false;
    const bytes = statSync(join(dataDir, "analytics.duckdb.wal"), { throwIfNoEntry: false })?.size ?? 0;
    if (bytes >= CHECKPOINT_BYTES) await write.run("CHECKPOINT analytics");
  }

  /** What to do next on the writing connection, and when; while rows come, projections wait. */
  function next(): { at: number; work: () => Promise<void> } | undefined {
    if (hasRows()) {
      if (asked.length > 0) return { at: notBefore, work: commit };
      const commitAt = Math.max(notBefore, rowGroupIsFull() ? 0 : committedAt + PACE_MS);
      const projects = changed && Math.max(notBefore, projectAt) <= Math.max(commitAt, performance.now());
      return projects ? { at: Math.max(notBefore, projectAt), work: projectSome } : { at: commitAt, work: commit };
    }
    if (asked.length > 0) return { at: 0, work: () => asked.shift()!() };
    if (changed) return { at: notBefore, work: projectSome };
    return grown ? { at: committedAt + IDLE_MS, work: checkpointLog } : undefined;
  }

  async function step(work: () => Promise<void>): Promise<void> {
    busy = true;
    try {
      await work();
    } catch (error) {
      if (isFatal(error) || error instanceof FatalError) throw error;
      log("error", "the loader could not write and tries again", { error });
      notBefore = performance.now() + RETRY_MS;
    }
    busy = false;
    wake();
  }

  function wake(): void {
    clearTimeout(timer);
    if (busy || closed) return;
    stage();
    const todo = next();
    if (todo === undefined) return;
    // A step that rejects stops the thread, and that is meant: after a fatal error nothing may be written.
    timer = setTimeout(() => void step(todo.work), Math.max(0, todo.at - performance.now()));
  }

  function ask<T>(work: (write: Connection) => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      asked.push(() => {
        changed = true;
        return work(write).then(resolve, reject);
      });
      wake();
    });
  }

  function stop(): void {
    closed = true;
    clearTimeout(timer);
  }

  const settle = () =>
    ask(async () => {
      while (await projector.projectSome());
      changed = false;
    });

  wake();
  return {
    loadedLsn,
    read: file.read,
    bodies,
    days,
    add: (batch) => {
      if (closed) return;
      queue.push({ batch, staged: 0 });
      stage();
      wake();
    },
    ask,
    settle,
    stop,
    close: async () => {
      // What is not read yet is read after the next start; a stop does not wait for it.
      await ask(async () => undefined);
      stop();
      await write.run("CHECKPOINT analytics");
      file.close();
    },
  };
}

class FatalError extends Error {}
