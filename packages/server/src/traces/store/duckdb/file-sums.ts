import { setImmediate as nextTurn } from "node:timers/promises";
import { checkBlocks, openBlockSums } from "./block-sums.ts";
import { checkLog, openLogSums } from "./log-sums.ts";
import type { ThreadLog } from "../folder/messages.ts";

/** Sums of the bytes that DuckDB has written to the database file and its log. */
type FileSums = {
  /** Adds the sums of new bytes, large ones in slices; call it after each write. */
  add: () => void;
  /** Adds the sums of new bytes for as long as `CLOSE_MS`. */
  close: () => void;
};

/** The start checks blocks of this size; the rest is checked while the store serves. */
const CHECKED_AT_OPEN_BYTES = 256 * 1024 * 1024;
const SLICE_MS = 20;
const CLOSE_MS = 1_000;

/** Throws when the files differ from their sums. Returns the check of the blocks that are left. */
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

/** Opens the sums of files that `checkFiles` has accepted, and finishes its check; `onDamaged` receives the damage. */
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

  /** Bytes without a sum of ours only have DuckDB's own sums. */
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
