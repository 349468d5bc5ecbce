import { closeSync, existsSync, fdatasyncSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import type Database from "better-sqlite3";
import { syncPath } from "../../base/sync-path.ts";
import { applyChange, encodeEntry, encodeSnapshot, type PageChecksums } from "./page-checksums.ts";
import { damaged, relationalPaths, scanChecksums, type SqlitePaths, verifyChecksums } from "./store-damage.ts";
import { createWalFollower, type WalChange, type WalFollower } from "./wal.ts";

/**
 * The checksums of the relational store's pages, in the file `relational.checksums`. Each acknowledged transaction is in it,
 * so that the next start notices a damaged byte that changes the store or takes a transaction back.
 */
export type Checksums = {
  /** Follows this engine's transactions, and moves its write-ahead log into the database in the engine's place. */
  follow: (engine: Database.Database) => void;
  /** Adds the transactions since the last call; call it after each commit and before its answer. Never throws. */
  add: () => void;
  /** Moves the log into the database and empties it, unless a write fails. */
  emptyLog: () => void;
  /** Makes all checksums durable; call it before the engine closes. */
  finish: () => void;
  /** Closes the files; call it after the engine has closed. */
  close: () => void;
};

/** The number of frames after which SQLite moves the log by default. */
const CHECKPOINT_FRAMES = 1_000;
const NO_LOG = { salt: 0n, frame: 0 };
const ENTRIES_BYTES_MAX = 1024 * 1024;

/**
 * Opens the checksums in `dataDir`; throws when the relational store is damaged. No engine of this process may have the store
 * open, because closing a file ends all of the process's locks on it. Calls `report` with each error of a write, and with
 * undefined after a write that succeeds.
 */
export function openChecksums(
  dataDir: string,
  report: (error: unknown) => void,
  { paths = relationalPaths(dataDir), checkpointFrames = CHECKPOINT_FRAMES } = {},
): Checksums {
  const stored = verifyChecksums(paths);
  const checksums: PageChecksums = stored ?? scanChecksums(paths);
  /** Committed changes that are not yet in the file; they stay here while the disk is full. */
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
      // Both files exist from the engine's first read to its close, and stay open here until then: see `openChecksums`.
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
      // The changes stay pending, and the log keeps them until they are saved.
      report(error);
    }
  }

  /** Writes the pending changes; they survive the end of the process, and after the next `fdatasync` that of the machine. */
  function save(): void {
    if (file === undefined) return saveAll();
    if (pending === undefined) return;
    const entry = encodeEntry(pending);
    writeWhole(file, entry, end);
    end += entry.length;
    applyChange(checksums, pending);
    pending = undefined;
  }

  /** Writes a new file with the present checksums in place of the former one. */
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

  /** Moves the log into the database, after the checksums of its pages are durable. */
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
      // The engine now moves the log into the database; checksums without its last changes would accuse that database.
      rmSync(paths.checksums, { force: true });
    }
  }

  function close(): void {
    for (const open of [file, ...logFiles]) if (open !== undefined) closeSync(open);
  }

  return { follow, add, emptyLog, finish, close };
}

/** Writes the checksums of a store without a log that no engine has open. */
export function writeChecksums(dataDir: string): void {
  const paths = relationalPaths(dataDir);
  closeSync(replaceFile(paths.checksums, encodeSnapshot(scanChecksums(paths), NO_LOG)));
}

/** Puts a durable file with these bytes in the place of another one, and returns it open. */
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

/** Throws when a store without checksums is malformed. */
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
