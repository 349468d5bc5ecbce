import { setImmediate as nextTurn } from "node:timers/promises";
import { checkBlocks, openBlockSums } from "./block-sums.ts";
import { checkLog, openLogSums } from "./log-sums.ts";
import type { ThreadLog } from "../folder/messages.ts";

type FileSums = {
  /** If there are many new bytes, continues in the background. Call `add` after each write. */
  add: () => void;
  /** Adds the checksums of new bytes, but stops after `CLOSE_MS`. */
  close: () => void;
};

/** Bytes of blocks that are checked before the store opens. The remaining blocks are checked while the store is in use. */
const CHECKED_AT_OPEN_BYTES = 256 * 1024 * 1024;
const SLICE_MS = 20;
const CLOSE_MS = 1_000;

/**
 * Checks the log and the first blocks. Throws if they differ from their checksums. Returns an iterable that checks one further block
 * at each step, for `openFileSums`.
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

/** Checks the remaining blocks, `unchecked`, in the background. */
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

  /** A failure is only logged. Bytes without a checksum of the service still have DuckDB's checksums. */
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
