import { unavailable } from "../../../errors.ts";
import type { Log } from "../../../log.ts";
import type { RecordAddress } from "../../span-batch.ts";
import type { FindConversation } from "../conversations.ts";
import type { TraceReader, TraceStore } from "../trace-store.ts";
import type { ThreadCalls, ThreadEvent, ThreadOptions, ThreadRequest } from "./messages.ts";
import { takeWorker } from "./prepared-worker.ts";

const CALLS_MAX = 256;
const CLOSE_MS = 30_000;

/** The calls of the loader thread; it finds spans, and the presenter thread reads them. */
export type LoaderThread = Omit<TraceStore, "reader"> & {
  reader: Omit<TraceReader, "find" | "answer"> & { findIndex: FindConversation };
};

/** The store of one loader thread, which ends when the thread stops. */
export type ThreadStore = Omit<LoaderThread, "loader"> & {
  loader: Omit<LoaderThread["loader"], "onReopened" | "holdReads">;
};

/** The reason why a thread stopped without `close`. */
export type ThreadFailure = { error: unknown; damaged: boolean };

type ThreadListeners = {
  /** Is called once a thread that was ready has stopped without `close`. */
  onStopped: (failure: ThreadFailure) => void;
  /** Receives the error of a write that the thread tries again, and undefined once a write succeeds. */
  onWriteRefused: (refusal: unknown) => void;
  onDamagedRecord: (address: RecordAddress) => void;
};

/** Starts the loader thread, which owns the database, and returns the store that it serves. */
export async function startThread(
  options: ThreadOptions,
  log: Log,
  { onStopped, onWriteRefused, onDamagedRecord }: ThreadListeners,
): Promise<ThreadStore> {
  const worker = takeWorker();
  const calls = new Map<number, { resolve: (value: never) => void; reject: (error: unknown) => void }>();
  const batchesInFlight: { bytes: number; loadedMs: number }[] = []; // oldest first
  const listeners = new Set<() => void>();
  let bytesInFlight = 0;
  let dueSinceMs: number | undefined; // since then the longest waiting conversation is due
  let lastCall = 0;
  let loadedLsn = 0;
  let alive = true;
  let isReady = false;
  let failure: ThreadFailure = { error: new Error("the thread of the trace store ended"), damaged: false };
  let closing: Promise<void> | undefined;

  function notify(): void {
    for (const listener of listeners) listener();
  }

  /** Refuses all calls once the thread has stopped; the journal keeps uncommitted batches. */
  function giveUp(): void {
    alive = false;
    for (const call of calls.values()) call.reject(unreachable());
    calls.clear();
    notify();
  }

  const exited = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
  await new Promise<void>((resolve, reject) => {
    worker.on("message", (event: ThreadEvent) => {
      if (event.kind === "committed") {
        loadedLsn = Math.max(loadedLsn, event.lsn);
        for (const { bytes } of batchesInFlight.splice(0, event.batches)) bytesInFlight -= bytes;
        notify();
      } else if (event.kind === "projected") {
        dueSinceMs = event.dueSinceMs;
        notify();
      } else if (event.kind === "log") {
        log[event.level](event.details, event.message);
      } else if (event.kind === "writes") {
        onWriteRefused(event.refusal);
      } else if (event.kind === "damaged_record") {
        onDamagedRecord(event.address);
      } else if (event.kind === "failed") {
        failure = event;
        giveUp();
      } else if (event.kind === "ready") {
        loadedLsn = event.loadedLsn;
        isReady = true;
        resolve();
      } else {
        const call = calls.get(event.id);
        calls.delete(event.id);
        if (event.kind === "answer") call?.resolve(event.value as never);
        else call?.reject(refusalOf(event));
      }
    });
    worker.on("error", (error) => {
      failure = { error, damaged: false };
      reject(error);
    });
    worker.on("exit", () => {
      giveUp();
      reject(unreachable());
      if (isReady && closing === undefined) onStopped(failure);
    });
    post({ kind: "open", options });
  });

  function post(message: ThreadRequest, transfer: ArrayBuffer[] = []): void {
    worker.postMessage(message, transfer);
  }

  function ask<Call extends keyof ThreadCalls>(
    call: Call,
    ...args: Parameters<ThreadCalls[Call]>
  ): ReturnType<ThreadCalls[Call]> {
    const answer = new Promise<never>((resolve, reject) => {
      if (!alive) throw unreachable();
      if (calls.size >= CALLS_MAX) throw tooBusy();
      calls.set(++lastCall, { resolve, reject });
      post({ kind: "call", id: lastCall, call, args });
    });
    return answer as ReturnType<ThreadCalls[Call]>;
  }

  async function close(): Promise<void> {
    const deadline = setTimeout(() => void worker.terminate(), CLOSE_MS);
    if (alive) {
      await ask("close").catch((error: unknown) => log.error({ err: error }, "the trace store did not close cleanly"));
    }
    await exited;
    clearTimeout(deadline);
  }

  return {
    reader: {
      list: (request) => ask("list", request),
      findIndex: async (project, traceId, spansMax, signal) => {
        const canceled = new Int32Array(new SharedArrayBuffer(4));
        const cancel = () => void Atomics.store(canceled, 0, 1);
        signal?.addEventListener("abort", cancel, { once: true });
        const found = await ask("findIndex", project, traceId, spansMax, canceled);
        signal?.removeEventListener("abort", cancel);
        return found;
      },
      findSummary: (project, traceId) => ask("findSummary", project, traceId),
      areRead: (reads) => ask("areRead", reads),
      findProjects: (projects, traceId) => ask("findProjects", projects, traceId),
      metrics: (request) => ask("metrics", request),
      countConversations: (period) => ask("countConversations", period),
      readSince: (project, after, limit) => ask("readSince", project, after, limit),
      countToolCalls: (period) => ask("countToolCalls", period),
      remap: (project, all) => ask("remap", project, all),
      lastSentMs: (project) => ask("lastSentMs", project),
    },
    loader: {
      load: (batch) => {
        const bytes = batch.fixed.byteLength + batch.text.byteLength + batch.heap.byteLength;
        batchesInFlight.push({ bytes, loadedMs: Date.now() });
        bytesInFlight += bytes;
        post({ kind: "batch", batch }, [batch.fixed, batch.text, batch.heap]);
      },
      commitSoon: () => post({ kind: "commit_soon" }),
      loadedLsn: () => loadedLsn,
      inFlight: () => ({ batches: batchesInFlight.length, bytes: bytesInFlight }),
      readingLagMs() {
        const nowMs = Date.now();
        return Math.max(0, nowMs - Math.min(dueSinceMs ?? nowMs, batchesInFlight[0]?.loadedMs ?? nowMs));
      },
      onProgress: (listener) => {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
      reachable: () => alive && closing === undefined,
      drain: () => ask("drain"),
    },
    exporter: {
      days: (project) => ask("exportDays", project),
      write: (selection, file) => ask("exportTable", selection, file),
    },
    eraser: {
      dropDaysBefore: (day) => ask("dropDaysBefore", day),
      conversationsBefore: (day) => ask("conversationsBefore", day),
      namesOf: (project, traceId) => ask("namesOf", project, traceId),
      withDigests: (project, digests) => ask("withDigests", project, digests),
      erase: (project, selection) => ask("erase", project, selection),
      rewrite: () => ask("rewrite"),
    },
    close: () => (closing ??= close()),
  };
}

const unreachable = () => unavailable("The trace store is not reachable; try again later.", 5);
function refusalOf({ error, interrupted, refusedWrite }: Extract<ThreadEvent, { kind: "failure" }>): unknown {
  if (interrupted) return tookTooLong();
  return refusedWrite ? noSpace() : error;
}

const noSpace = () => unavailable("The disk refuses the write; try again later.", 30);
const tooBusy = () => unavailable("Too many queries wait for the trace store; try again.", 1);
const tookTooLong = () => unavailable("The query took too long; request a shorter time range.", 5);
