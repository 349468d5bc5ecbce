import { setImmediate as nextTurn } from "node:timers/promises";
import { checkBlocks, openBlockSums } from "./block-sums.ts";
import { checkLog, openLogSums } from "./log-sums.ts";
import type { ThreadLog } from "../folder/messages.ts";

/** Checksums of what DuckDB has written to the database file and its log. */
type FileSums = {
  /** Adds the checksums of new bytes, and of many bytes in slices. Call it after each write. */
  add: () => void;
  /** Adds the checksums of new bytes, but stops after `CLOSE_MS`. Then closes the files. */
  close: () => void;
};

/** At the start, this many bytes of blocks are checked. The rest is checked while the store is in use. */
const CHECKED_AT_OPEN_BYTES = 256 * 1024 * 1024;
const SLICE_MS = 20;
const CLOSE_MS = 1_000;

/**
 * Throws if the files differ from their checksums. Returns the check of the remaining blocks, which the caller must continue.
 */
export function checkFiles(dataDir: string): Iterable<number> {
  checkLog(dataDir);
  const blocks = checkBlocks(dataDir);
  let bytes = 0;
  while (bytes < CHECKED_AT_OPEN_BYTES) {
    const { done, value } = blocks.next();
    if (done) break;
    bytes += value;
  }
  return blocks;
}

/**
 * Opens the checksums of files that passed `checkFiles`, and continues its check of the remaining blocks. Calls `onDamaged` with
 * damage that it finds.
 */
export function openFileSums(
  dataDir: string,
  unchecked: Iterable<number>,
  log: ThreadLog,
  onDamaged: (error: unknown) => void,
): FileSums {
  const logSums = openLogSums(dataDir);
  const blockSums = openBlockSums(dataDir);
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  /** If no checksum is added for some bytes, only DuckDB's own checksums protect them. */
  function addWithin(ms: number): void {
    clearTimeout(timer);
    try {
      logSums.add();
      if (!blockSums.add(ms) && !isClosed) timer = setTimeout(addWithin, SLICE_MS, SLICE_MS);
    } catch (error) {
      log("warn", "the sums of the trace store's files could not be written", { error });
    }
  }

  async function checkRest(): Promise<void> {
    for (const _ of unchecked) {
      await nextTurn();
      if (isClosed) return;
    }
  }

  checkRest().catch(onDamaged);
  return {
    add: () => addWithin(SLICE_MS),
    close() {
      isClosed = true;
      addWithin(CLOSE_MS);
      logSums.close();
      blockSums.close();
    },
  };
}
