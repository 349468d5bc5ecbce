import { mkdirSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";

/**
 * Holds the data directory for this opener alone until the answer is called. The lock is the operating system's, by way
 * of SQLite: it also holds inside one process, and it ends with the process, however that dies.
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
      `Another server is running on the data directory ${dataDir}; stop it, or give this one its own SVC_DATA_DIR.`,
      { cause: error },
    );
  }
  return () => lock.close();
}
