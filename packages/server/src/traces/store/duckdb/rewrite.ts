import { renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { syncPath } from "../../../base/sync-path.ts";
import { attach, type Database, rowsOf } from "./database.ts";
import { databaseFile } from "./database-file.ts";

/** Run this statement in each transaction that erases samples. */
export const MARK_ERASED = "UPDATE sample_state SET holds_erased = true";

/** Thrown when the database was closed and could not be opened again. */
export class DatabaseLost extends Error {}

/**
 * Copies the tables into a new database file and replaces the old file, because DuckDB leaves deleted rows in the file. Returns false
 * and does nothing if no rows were deleted since the last copy. Reads continue during the copy. `alone` runs the replacement while no
 * read is running. After a crash, either the complete old file or the complete new file is in the folder.
 */
export async function rewriteDatabase(
  { write, read }: Database,
  dataDir: string,
  alone: (work: () => Promise<void>) => Promise<void>,
): Promise<boolean> {
  const [state] = await rowsOf<{ holds_erased: boolean }>(write, "SELECT holds_erased FROM sample_state");
  if (!state!.holds_erased) return false;
  const file = databaseFile(dataDir);
  const fresh = `${file}.new`;
  removeUnfinishedRewrite(dataDir);
  await write.run(attach(fresh, "fresh"));
  try {
    await write.run("COPY FROM DATABASE analytics TO fresh");
    await write.run("UPDATE fresh.sample_state SET holds_erased = false");
    await write.run("CHECKPOINT fresh");
  } finally {
    await write.run("DETACH fresh");
  }
  syncPath(fresh);
  await alone(async () => {
    await write.run("CHECKPOINT analytics");
    for (const connection of [write, read]) await connection.run("USE memory");
    try {
      await write.run("DETACH analytics");
      // The log of the old file must never be applied to the new file.
      rmSync(`${file}.wal`, { force: true });
      syncPath(dirname(file));
      renameSync(fresh, file);
      syncPath(dirname(file));
      await write.run(attach(file, "analytics"));
      for (const connection of [write, read]) await connection.run("USE analytics");
    } catch (error) {
      throw new DatabaseLost("The trace store could not be opened after it was rewritten.", { cause: error });
    }
  });
  return true;
}

export function removeUnfinishedRewrite(dataDir: string): void {
  for (const suffix of [".new", ".new.wal"]) rmSync(`${databaseFile(dataDir)}${suffix}`, { force: true });
}
