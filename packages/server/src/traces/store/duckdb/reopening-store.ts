import { setTimeout as delay } from "node:timers/promises";
import type { Conditions } from "../../../conditions.ts";
import { unavailable } from "../../../errors.ts";
import type { Log } from "../../../log.ts";
import type { RecordAddress } from "../../span-batch.ts";
import { isRefusedWrite } from "./damage.ts";
import type { ThreadOptions } from "./messages.ts";
import { damagedDatabases } from "./set-aside.ts";
import { type LoaderThread, startThread, type ThreadFailure, type ThreadStore } from "./thread-client.ts";

const REOPEN_MS = 5_000;
/** This number of failures within the window counts as damage, because opening the same files again does not help. */
const FAILURES_MAX = 3;
const FAILURES_WINDOW_MS = 10 * 60_000;

type StoreOptions = Omit<ThreadOptions, "damaged"> & {
  log: Log;
  conditions: Conditions;
  onDamagedRecord: (address: RecordAddress) => void;
};

/**
 * Opens the store, and opens it again whenever its thread stops. A damaged database is set aside, and the store starts empty:
 * the intake loads the journal again.
 */
export async function openReopeningStore({
  log,
  conditions,
  onDamagedRecord,
  ...options
}: StoreOptions): Promise<LoaderThread> {
  const progressListeners = new Set<() => void>();
  const reopenedListeners = new Set<() => void>();
  let failedAt: number[] = [];
  let store: ThreadStore | undefined;
  let reopening: Promise<void> | undefined;
  let isDown = false;
  let readsHeld = false;
  let closing: Promise<void> | undefined;

  const isClosing = () => closing !== undefined;
  const notify = (listeners: Set<() => void>) => listeners.forEach((listener) => listener());

  async function open(damaged: boolean): Promise<ThreadStore> {
    const opened = await startThread({ ...options, damaged }, log, {
      onStopped,
      onWriteRefused: reportWrites,
      onDamagedRecord,
    });
    opened.loader.onProgress(() => notify(progressListeners));
    const kept = damagedDatabases(options.dataDir);
    if (kept.length > 0) {
      conditions.clear("trace_store_was_damaged");
      conditions.report({
        code: "trace_store_was_damaged",
        degrades: false,
        message: `The trace store was damaged and was built again from the journal. Its damaged files are kept: ${kept.join(", ")}.`,
        mend: "Check the disk and the memory of the machine. Then delete the damaged files.",
      });
    }
    return opened;
  }

  function reportWrites(refusal: unknown): void {
    if (refusal === undefined) return conditions.clear("trace_store_not_writable");
    conditions.report({
      code: "trace_store_not_writable",
      message: "The trace store cannot write. New spans are kept in the journal; conversations are out of date.",
      mend: "Free space on the disk of the data folder. The service continues by itself.",
      error: refusal,
    });
  }

  function onStopped({ error, damaged }: ThreadFailure): void {
    store = undefined;
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
    while (store === undefined && !isClosing()) {
      try {
        store = await open(damaged);
      } catch (error) {
        isDown = true;
        conditions.report({
          code: "trace_store_unreachable",
          message: "The trace store cannot be opened. The service tries again every few seconds.",
          mend: "Read the reason in the log: the disk may be full, or the service may lack access to its data folder.",
          error,
        });
        await delay(REOPEN_MS);
      }
    }
    reopening = undefined;
    if (store === undefined) return;
    isDown = false;
    conditions.clear("trace_store_unreachable");
    log.info({}, "the trace store is open again");
    notify(reopenedListeners);
  }

  function current(): ThreadStore {
    if (store === undefined) throw unavailable("The trace store is not reachable; try again later.", 5);
    return store;
  }

  function readable(): ThreadStore {
    if (readsHeld) throw unavailable("The trace store loads its data again from the journal; try again later.", 5);
    return current();
  }

  async function close(): Promise<void> {
    await reopening;
    await store?.close();
  }

  store = await open(false);
  return {
    reader: {
      list: async (...args) => readable().reader.list(...args),
      findIndex: async (...args) => readable().reader.findIndex(...args),
      findSummary: async (...args) => readable().reader.findSummary(...args),
      findProjects: async (...args) => readable().reader.findProjects(...args),
      areRead: async (...args) => readable().reader.areRead(...args),
      metrics: async (...args) => readable().reader.metrics(...args),
      countConversations: async (...args) => readable().reader.countConversations(...args),
      countToolCalls: async (...args) => readable().reader.countToolCalls(...args),
      readSince: async (...args) => readable().reader.readSince(...args),
      remap: async (...args) => readable().reader.remap(...args),
      lastSentMs: async (...args) => readable().reader.lastSentMs(...args),
    },
    loader: {
      load: (batch) => store?.loader.load(batch),
      commitSoon: () => store?.loader.commitSoon(),
      loadedLsn: () => store?.loader.loadedLsn() ?? 0,
      inFlight: () => store?.loader.inFlight() ?? { batches: 0, bytes: 0 },
      readingLagMs: () => store?.loader.readingLagMs() ?? 0,
      onProgress(listener) {
        progressListeners.add(listener);
        return () => void progressListeners.delete(listener);
      },
      onReopened: (listener) => void reopenedListeners.add(listener),
      holdReads: (held) => void (readsHeld = held),
      reachable: () => !isDown && !isClosing(),
      drain: async () => current().loader.drain(),
    },
    exporter: {
      days: async (...args) => readable().exporter.days(...args),
      write: async (...args) => readable().exporter.write(...args),
    },
    eraser: {
      dropDaysBefore: async (...args) => readable().eraser.dropDaysBefore(...args),
      conversationsBefore: async (...args) => readable().eraser.conversationsBefore(...args),
      namesOf: async (...args) => readable().eraser.namesOf(...args),
      withDigests: async (...args) => readable().eraser.withDigests(...args),
      erase: async (...args) => readable().eraser.erase(...args),
      rewrite: async (...args) => readable().eraser.rewrite(...args),
    },
    close: () => (closing ??= close()),
  };
}
