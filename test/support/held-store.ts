import { join } from "node:path";
import Database from "better-sqlite3";

/** Holds the write lock of a running service's relational store while the work runs, as another program may. */
export async function whileHeld<T>(dataDir: string, work: () => Promise<T>): Promise<T> {
  const outside = new Database(join(dataDir, "relational.db"));
  outside.exec("BEGIN IMMEDIATE");
  try {
    return await work();
  } finally {
    outside.exec("ROLLBACK");
    outside.close();
  }
}
