import { mkdirSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";

/**
 * Locks the data directory and returns the function that unlocks it; refuses a directory that is locked, also by the same
 * process. SQLite takes the operating system's file lock, which ends with the process, however it dies.
 */
export function lockDataDir(dataDir: string): () => void {
  mkdirSync(dataDir, { recursive: true });
  const lock = new Database(join(dataDir, "lock.db"), { timeout: 0 });
  try {
    lock.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    lock.close();
    if (!(error instanceof Error && "code" in error && error.code === "SQLITE_BUSY")) throw error;
    throw new Error(
      `Another server is running on the data directory ${dataDir}; stop that server, or set SVC_DATA_DIR to another directory.`,
      { cause: error },
    );
  }
  return () => lock.close();
}
