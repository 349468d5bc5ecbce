import { setTimeout as delay } from "node:timers/promises";
import type { Conditions } from "../../../base/conditions.ts";
import { unavailable } from "../../../base/errors.ts";
import type { Log } from "../../../base/log/log.ts";
import { membersOf } from "../../../base/threads/serve-calls.ts";
import type { RecordAddress } from "../../span-batch.ts";
import { isRefusedWrite } from "../duckdb/damage.ts";
import type { TraceStore, VersionAttribute } from "../trace-store.ts";
import type { StoreCalls, StoreFace, ThreadOptions } from "./messages.ts";
import { damagedFiles, removeFormerFiles } from "./set-aside.ts";
import { isDamage } from "./store.ts";
import { type StoreThread, startStore, unreachable } from "./thread-client.ts";

const REOPEN_MS = 5_000;
/** This many failures within the window count as damage. Then the store starts with empty files instead of the same files. */
const FAILURES_MAX = 3;
const FAILURES_WINDOW_MS = 10 * 60_000;

type StoreOptions = Omit<ThreadOptions, "damaged"> & {
  log: Log;
  conditions: Conditions;
  onDamagedRecord: (address: RecordAddress) => void;
};

/** The store finds the bodies of a conversation, and the presenter thread reads the spans in them. */
export type FolderStore = Omit<TraceStore, "reader"> & { reader: StoreCalls };

/**
 * Opens the store, and opens it again whenever its thread stops. If the database is damaged, its files are set aside and the
 * store starts empty. The intake then loads the journal again.
 */
export async function openReopeningStore({
  log,
  conditions,
  onDamagedRecord,
  ...options
}: StoreOptions): Promise<FolderStore> {
  const progressListeners = new Set<() => void>();
  const reopenedListeners = new Set<() => void>();
  let failedAt: number[] = [];
  let thread: StoreThread | undefined;
  let reopening: Promise<void> | undefined;
  let isDown = false;
  let readsHeld = false;
  let versionAttributes: readonly VersionAttribute[] | undefined;
  let closing: Promise<void> | undefined;

  const isClosing = () => closing !== undefined;
  const notify = (listeners: Set<() => void>) => listeners.forEach((listener) => listener());

  async function open(damaged: boolean): Promise<StoreThread> {
    const opened = await startStore({ ...options, damaged }, log, {
      onProgress: () => notify(progressListeners),
      onStopped,
      onWriteRefused: reportWrites,
      onDamagedRecord,
    });
    // A new index does not have the version attributes yet.
    if (versionAttributes !== undefined) await opened.ask("setVersionAttributes", [versionAttributes]);
    const kept = damagedFiles(options.dataDir);
    if (kept.length > 0) {
      conditions.clear("trace_store_was_damaged");
      conditions.report({
        code: "trace_store_was_damaged",
        degrades: false,
        message: `The trace store was damaged and was built again from the journal. Its damaged files are kept: ${kept.join(", ")}.`,
        remedy: "Check the disk and the memory of the machine. Then delete the damaged files.",
      });
    }
    return opened;
  }

  function reportWrites(refusal: unknown): void {
    if (refusal === undefined) return conditions.clear("trace_store_not_writable");
    conditions.report({
      code: "trace_store_not_writable",
      message: "The trace store cannot write. New spans are kept in the journal; conversations are out of date.",
      remedy: "Free space on the disk of the data folder. The service continues by itself.",
      error: refusal,
    });
  }

  function onStopped(error: unknown): void {
    thread = undefined;
    const damaged = isDamage(error);
    log.error({ err: error, damaged }, "the trace store has failed and is opened again");
    const isFull = isRefusedWrite(error);
    if (isFull) reportWrites(error);
    const now = performance.now();
    if (!isFull) failedAt = [...failedAt.filter((at) => at > now - FAILURES_WINDOW_MS), now];
    const isDamaged = damaged || failedAt.length >= FAILURES_MAX;
    if (isDamaged) failedAt = [];
    reopening = reopen(isDamaged, isFull ? REOPEN_MS : 0);
    notify(progressListeners);
  }

  async function reopen(damaged: boolean, afterMs: number): Promise<void> {
    await delay(afterMs);
    while (thread === undefined && !isClosing()) {
      try {
        thread = await open(damaged);
      } catch (error) {
        isDown = true;
        conditions.report({
          code: "trace_store_unreachable",
          message: "The trace store cannot be opened. The service tries again every few seconds.",
          remedy:
            "Read the reason in the log: the disk may be full, or the service may lack access to its data folder.",
          error,
        });
        await delay(REOPEN_MS);
      }
    }
    reopening = undefined;
    if (thread === undefined) return;
    isDown = false;
    conditions.clear("trace_store_unreachable");
    log.info({}, "the trace store is open again");
    notify(reopenedListeners);
  }

  function current(): StoreThread {
    if (thread === undefined) throw unreachable();
    return thread;
  }

  function readable(): StoreThread {
    if (readsHeld) throw unavailable("The trace store loads its data again from the journal; try again later.", 5);
    return current();
  }

  async function close(): Promise<void> {
    await reopening;
    await thread?.close();
    notify(progressListeners);
  }

  thread = await open(false);
  const calls = membersOf<StoreCalls>(async (name, args) => readable().ask(name, args));
  const { drain } = membersOf<Pick<StoreFace["calls"], "drain">>(async (name, args) => current().ask(name, args));
  return {
    reader: calls,
    eraser: calls,
    exporter: { days: calls.exportDays, write: calls.exportTable },
    loader: {
      load: (batch) => thread?.loader.load(batch),
      commitSoon: () => thread?.loader.commitSoon(),
      loadedLsn: () => thread?.loader.loadedLsn() ?? 0,
      inFlight: () => thread?.loader.inFlight() ?? { batches: 0, bytes: 0 },
      readingLagMs: () => thread?.loader.readingLagMs() ?? 0,
      onProgress(listener) {
        progressListeners.add(listener);
        return () => void progressListeners.delete(listener);
      },
      async setVersionAttributes(attributes) {
        versionAttributes = attributes;
        await thread?.ask("setVersionAttributes", [attributes]);
      },
      onReopened: (listener) => void reopenedListeners.add(listener),
      holdReads(held) {
        readsHeld = held;
        if (!held) removeFormerFiles(options.dataDir);
      },
      reachable: () => !isDown && !isClosing(),
      drain,
    },
    close: () => (closing ??= close()),
  };
}
