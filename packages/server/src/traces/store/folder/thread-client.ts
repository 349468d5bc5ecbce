import { startThread, ThreadEnded, type Thread } from "../../../base/threads/call-thread.ts";
import { unavailable } from "../../../base/errors.ts";
import type { Log } from "../../../base/log/log.ts";
import { transfer } from "../../../base/threads/serve-calls.ts";
import { isStoreUnavailable } from "../../../stores/relational.ts";
import type { RecordAddress } from "../../span-batch.ts";
import type { SpanLoader } from "../trace-store.ts";
import { isInterrupted, isRefusedWrite } from "../duckdb/damage.ts";
import { loaderProgram } from "./loader-program.ts";
import type { StoreFace, ThreadOptions } from "./messages.ts";

const CALLS_MAX = 256;
const CLOSE_MS = 30_000;

/** The thread of the store, and a loader that counts which of the loaded batches the thread has committed. */
export type StoreThread = Pick<Thread<StoreFace>, "ask"> & {
  loader: Omit<SpanLoader, "onProgress" | "onReopened" | "setVersionAttributes" | "holdReads" | "reachable" | "drain">;
  close: () => Promise<void>;
};

type ThreadListeners = {
  onProgress: () => void;
  /** Called with the reason if a thread that was ready has stopped without `close`. */
  onStopped: (error: unknown) => void;
  /** Called with the error when the store refuses a write, which it then retries, and with undefined when a write succeeds again. */
  onWriteRefused: (refusal: unknown) => void;
  onDamagedRecord: (address: RecordAddress) => void;
};

/** Resolves once the databases are open. */
export async function startStore(
  options: ThreadOptions,
  log: Log,
  { onProgress, onStopped, onWriteRefused, onDamagedRecord }: ThreadListeners,
): Promise<StoreThread> {
  const batchesInFlight: { bytes: number; loadedMs: number }[] = []; // oldest first
  let bytesInFlight = 0;
  let dueSinceMs: number | undefined; // time from which the longest waiting conversation is due
  let loadedLsn = 0;

  const thread = startThread<StoreFace>(loaderProgram(), {
    options,
    on: {
      committed({ lsn, batches }) {
        loadedLsn = Math.max(loadedLsn, lsn);
        for (const { bytes } of batchesInFlight.splice(0, batches)) bytesInFlight -= bytes;
        onProgress();
      },
      read(sinceMs) {
        dueSinceMs = sinceMs;
        onProgress();
      },
      writeRefused: onWriteRefused,
      damagedRecord: onDamagedRecord,
      log: (level, message, details) => log[level](details, message),
    },
    onFailed: ({ wasReady, cause }) => wasReady && onStopped(cause ?? new Error("the thread of the trace store ended")),
    errorOf: refusalOf,
  });
  await thread.ready;

  return {
    async ask(name, args) {
      if (thread.waiting() >= CALLS_MAX) throw tooBusy();
      return thread.ask(name, args);
    },
    loader: {
      load(batch) {
        const buffers = [batch.fixed, batch.text, batch.heap];
        const bytes = buffers.reduce((sum, { byteLength }) => sum + byteLength, 0);
        batchesInFlight.push({ bytes, loadedMs: Date.now() });
        bytesInFlight += bytes;
        thread.tell.add(transfer(batch, buffers));
      },
      commitSoon: thread.tell.commitSoon,
      loadedLsn: () => loadedLsn,
      inFlight: () => ({ batches: batchesInFlight.length, bytes: bytesInFlight }),
      readingLagMs() {
        const nowMs = Date.now();
        return Math.max(0, nowMs - Math.min(dueSinceMs ?? nowMs, batchesInFlight[0]?.loadedMs ?? nowMs));
      },
    },
    close: () =>
      thread
        .close(CLOSE_MS)
        .catch((error: unknown) => log.error({ err: error }, "the trace store did not close cleanly")),
  };
}

function refusalOf(error: unknown): unknown {
  if (error instanceof ThreadEnded) return unreachable();
  if (isInterrupted(error)) return tookTooLong();
  return isRefusedWrite(error) || isStoreUnavailable(error) ? noSpace() : error;
}

export const unreachable = () => unavailable("The trace store is not reachable; try again later.", 5);
const noSpace = () => unavailable("The disk refuses the write; try again later.", 30);
const tooBusy = () => unavailable("Too many queries wait for the trace store; try again.", 1);
const tookTooLong = () => unavailable("The query took too long; request a shorter time range.", 5);
