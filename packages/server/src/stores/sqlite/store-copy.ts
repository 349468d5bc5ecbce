import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import Database from "better-sqlite3";
import { writeChecksums } from "./checksums.ts";
import { relationalPaths, verifyChecksums } from "./store-damage.ts";

const PAGES_AT_ONCE = 2 ** 31 - 1;

export function copyStoreFiles(dataDir: string, target: string): void {
  const paths = relationalPaths(dataDir);
  verifyChecksums(paths);
  for (const path of [paths.database, paths.wal, paths.checksums]) {
    if (existsSync(path)) copyFileSync(path, join(target, basename(path)));
  }
}

/**
 * Copies the relational store while a service may write to it. The copy is the state after one of the service's transactions. All pages are
 * copied in one step. With several steps, a write of the service would restart the copy from the first page.
 */
export async function copyServedStore(
  dataDir: string,
  target: string,
  progress: (text: string) => void,
): Promise<void> {
  const to = relationalPaths(target);
  const engine = new Database(relationalPaths(dataDir).database, { readonly: true });
  try {
    await engine.backup(to.database, { progress: () => PAGES_AT_ONCE });
  } finally {
    engine.close();
  }
  progress("Checking the copy of the relational store");
  checkCopy(to.database);
  writeChecksums(target);
}

/** Checks a copy, and throws if it is malformed. Removes the write-ahead log of the copy. */
function checkCopy(path: string): void {
  const engine = new Database(path);
  try {
    const [finding] = engine.prepare<[], string>("PRAGMA integrity_check(1)").pluck().all();
    if (finding !== "ok") throw new Error(`The relational store is damaged: SQLite says "${finding}".`);
  } finally {
    engine.close();
  }
  for (const suffix of ["-wal", "-shm"]) rmSync(path + suffix, { force: true });
}

/** Runs `read` on a temporary copy of the relational store. Changes nothing in `dataDir`. */
export function readStoreCopy<T>(dataDir: string, read: (engine: Database.Database) => T): T {
  const copy = mkdtempSync(join(tmpdir(), "svc-doctor-"));
  try {
    const { database, wal } = relationalPaths(dataDir);
    for (const path of [database, wal]) if (existsSync(path)) copyFileSync(path, join(copy, basename(path)));
    const engine = new Database(join(copy, basename(database)));
    try {
      return read(engine);
    } finally {
      engine.close();
    }
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}
