import { join } from "node:path";
import Database from "better-sqlite3";

/** Holds the write lock of a running service's relational store, as another program may, for as long as the work lasts. */
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
