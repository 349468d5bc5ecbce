import { existsSync } from "node:fs";
import { searchText } from "../../../stores/search-text.ts";
import { openChecksums } from "../../../stores/sqlite/checksums.ts";
import { openSqliteFile, type SqliteFile } from "../../../stores/sqlite/sqlite.ts";
import { sqlitePaths } from "../../../stores/sqlite/store-damage.ts";
import { prepareIndex } from "../index/schema.ts";

/** Frames of the log before a checkpoint. New conversations change the same pages many times, so a longer log saves page writes. */
const CHECKPOINT_FRAMES = 8_000;
const CACHE_KB = 32 * 1024;

export const indexPaths = (dataDir: string) => sqlitePaths(dataDir, "traces");

export const hasIndex = (dataDir: string): boolean => existsSync(indexPaths(dataDir).database);

/**
 * Creates the index if it is missing; throws if it is damaged. Calls `onUnsummed` with the error when its checksums
 * cannot be written.
 */
export async function openIndexFile(dataDir: string, onUnsummed: (error: unknown) => void): Promise<SqliteFile> {
  const paths = indexPaths(dataDir);
  const checksums = openChecksums(dataDir, (error) => error !== undefined && onUnsummed(error), {
    paths,
    checkpointFrames: CHECKPOINT_FRAMES,
  });
  const file = openSqliteFile(paths, checksums, (engine) => {
    engine.pragma(`cache_size = -${CACHE_KB}`);
    engine.pragma("temp_store = MEMORY");
    engine.function("search_text", { deterministic: true }, (text) => searchText(text as string | null));
  });
  try {
    await prepareIndex(file.db);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}
