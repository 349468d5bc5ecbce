import { closeSync, existsSync, fdatasyncSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import type Database from "better-sqlite3";
import { syncPath } from "../../base/sync-path.ts";
import { applyChange, encodeEntry, encodeSnapshot, type PageChecksums } from "./page-checksums.ts";
import { damaged, relationalPaths, scanChecksums, type SqlitePaths, verifyChecksums } from "./store-damage.ts";
import { createWalFollower, type WalChange, type WalFollower } from "./wal.ts";

/**
 * The checksums of the relational store's pages, in the file `relational.checksums`. The file contains the changes of each
 * acknowledged transaction. The next start therefore notices if a damaged byte changes the store or undoes a transaction.
 */
export type Checksums = {
  /** Starts to follow this engine's transactions. From then on, this module and not the engine checkpoints the write-ahead log. */
  follow: (engine: Database.Database) => void;
  /**
   * Adds the checksums of the pages that transactions changed since the last call. Call `add` after each commit, before the result is
   * reported. Never throws.
   */
  add: () => void;
  /** Moves the write-ahead log into the database and empties the log. Does nothing if a write fails. */
  emptyLog: () => void;
  /** Makes all checksums durable. Call `finish` before the engine closes. */
  finish: () => void;
  /** Call `close` after the engine has closed. */
  close: () => void;
};

/** The number of frames after which the log is moved; SQLite's default. */
const CHECKPOINT_FRAMES = 1_000;
const NO_LOG = { salt: 0n, frame: 0 };
const ENTRIES_BYTES_MAX = 1024 * 1024;

/**
 * Opens the checksums in `dataDir`. Throws if the relational store is damaged. At this time, no engine of this process may have
 * the store open, because a process loses all its locks on a file when it closes any descriptor of that file. Calls `report` with
 * each error of a write, and with undefined after a successful write.
 */
export function openChecksums(
  dataDir: string,
  report: (error: unknown) => void,
  { paths = relationalPaths(dataDir), checkpointFrames = CHECKPOINT_FRAMES } = {},
): Checksums {
  const stored = verifyChecksums(paths);
  const checksums: PageChecksums = stored ?? scanChecksums(paths);
  /** Committed changes that are not in the file of checksums yet. They stay in memory while the disk is full. */
  let pending: WalChange | undefined;
  let file = stored === undefined ? undefined : openSync(paths.checksums, "r+");
  let end = stored?.end ?? 0;
  let snapshotEnd = end;
  let logFiles: number[] = [];
  let wal: WalFollower | undefined;
  let engine: Database.Database | undefined;

  function follow(opened: Database.Database): void {
    opened.pragma("wal_autocheckpoint = 0");
    if (stored === undefined && checksums.pageCount > 0) checkStructure(paths, opened);
    engine = opened;
    const change = readChange();
    const acknowledged = (change && stored?.acknowledged.get(change.salt)) ?? 0;
    if (change !== undefined && (change.frame > acknowledged || stored?.isTorn)) pending = change;
    add();
  }

  function readChange(): WalChange | undefined {
    if (wal === undefined) {
      // Both files exist while the engine is open. They must stay open until the engine closes, because closing a file releases all locks
      // that this process has on it.
      if (!existsSync(paths.wal) || !existsSync(paths.walIndex)) return undefined;
      logFiles = [openSync(paths.wal, "r"), openSync(paths.walIndex, "r")];
      wal = createWalFollower(logFiles[0]!, logFiles[1]!);
    }
    return wal.read();
  }

  function add(): void {
    try {
      const change = readChange();
      if (change !== undefined) pending = pending === undefined ? change : joined(pending, change);
      save();
      if (wal !== undefined && wal.position().frame >= checkpointFrames) checkpoint();
      report(undefined);
    } catch (error) {
      // The changes stay pending until they are saved. Until then, the log is not emptied.
      report(error);
    }
  }

  /**
   * Writes the pending changes to the file of checksums. After this write, they survive a crash of the process. After the next `fdatasync`
   * they also survive a crash of the machine.
   */
  function save(): void {
    if (file === undefined) return saveAll();
    if (pending === undefined) return;
    const entry = encodeEntry(pending);
    writeWhole(file, entry, end);
    end += entry.length;
    applyChange(checksums, pending);
    pending = undefined;
  }

  function saveAll(): void {
    if (pending !== undefined) applyChange(checksums, pending);
    pending = undefined;
    const bytes = encodeSnapshot(checksums, wal?.position() ?? NO_LOG);
    const written = replaceFile(paths.checksums, bytes);
    if (file !== undefined) closeSync(file);
    file = written;
    end = bytes.length;
    snapshotEnd = end;
  }

  /** Makes the checksums durable, then moves the write-ahead log into the database. */
  function checkpoint(mode: "PASSIVE" | "TRUNCATE" = "PASSIVE"): void {
    fdatasyncSync(file!);
    engine!.pragma(`wal_checkpoint(${mode})`);
    if (end - snapshotEnd > Math.max(ENTRIES_BYTES_MAX, snapshotEnd)) saveAll();
  }

  function emptyLog(): void {
    add();
    if (pending === undefined && file !== undefined) checkpoint("TRUNCATE");
  }

  function finish(): void {
    add();
    try {
      if (pending !== undefined || file === undefined) save();
      fdatasyncSync(file!);
    } catch {
      // When the engine closes, it moves the log into the database. Checksums without the last changes would report damage afterwards.
      rmSync(paths.checksums, { force: true });
    }
  }

  function close(): void {
    for (const open of [file, ...logFiles]) if (open !== undefined) closeSync(open);
  }

  return { follow, add, emptyLog, finish, close };
}

/** Writes the checksums of a store that no engine has open and that has no log. */
export function writeChecksums(dataDir: string): void {
  const paths = relationalPaths(dataDir);
  closeSync(replaceFile(paths.checksums, encodeSnapshot(scanChecksums(paths), NO_LOG)));
}

function replaceFile(path: string, bytes: Buffer): number {
  const written = openSync(`${path}.new`, "w", 0o600);
  try {
    writeWhole(written, bytes, 0);
    fsyncSync(written);
    renameSync(`${path}.new`, path);
    syncPath(dirname(path));
    return written;
  } catch (error) {
    closeSync(written);
    throw error;
  }
}

function checkStructure(paths: SqlitePaths, engine: Database.Database): void {
  const [first] = engine.prepare<[], string>("PRAGMA integrity_check(1)").pluck().all();
  if (first !== "ok") throw damaged(paths, paths.database, `SQLite says "${first}"`);
}

function joined(earlier: WalChange, later: WalChange): WalChange {
  return { ...later, pages: new Map([...earlier.pages, ...later.pages]) };
}

function writeWhole(file: number, bytes: Buffer, position: number): void {
  for (let written = 0; written < bytes.length;) {
    const more = writeSync(file, bytes, written, bytes.length - written, position + written);
    if (more === 0) throw new Error("the disk wrote no bytes");
    written += more;
  }
}
