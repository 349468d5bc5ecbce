import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";

/**
 * Locks a data folder, and returns the function that unlocks it. Throws if the folder is already locked, even by this process. SQLite takes
 * a file lock of the operating system, which the system releases when the process ends for any reason.
 */
export function lockDataDir(dataDir: string): () => void {
  mkdirSync(dataDir, { recursive: true });
  const unlock = tryLock(dataDir);
  if (unlock !== undefined) return unlock;
  throw new Error(
    `Another server is running on the data folder ${dataDir}. Stop that server, or name another folder with --data-dir or SVC_DATA_DIR.`,
  );
}

export function tryLock(dataDir: string): (() => void) | undefined {
  const path = join(dataDir, "lock.db");
  const lock = new Database(path, { timeout: 0 });
  try {
    lock.exec("BEGIN EXCLUSIVE");
    return () => lock.close();
  } catch (error) {
    lock.close();
    const code = (error as { code?: unknown }).code;
    if (code === "SQLITE_BUSY") return undefined;
    if (code !== "SQLITE_NOTADB" && code !== "SQLITE_CORRUPT") throw error;
    throw new Error(`The file ${path} is damaged. It holds no data: remove it and start again.`, { cause: error });
  }
}

/** Returns whether a data folder is locked. Changes no file of the folder. */
export function isLocked(dataDir: string): boolean {
  if (!existsSync(join(dataDir, "lock.db"))) return false;
  const unlock = tryLock(dataDir);
  unlock?.();
  return unlock === undefined;
}
