import { mkdirSync } from "node:fs";
import { getCompileCacheDir } from "node:module";
import { dirname } from "node:path";
import { Worker } from "node:worker_threads";
import { unavailable } from "../../errors.ts";
import type { Log } from "../../log.ts";
import { lockDataDir } from "../../stores/data-dir-lock.ts";
import type { FromLoader, LoaderCalls, LoaderData, ToLoader } from "./messages.ts";
import { startRetention } from "./retention.ts";
import type { MetricsRequest } from "../metric-rules.ts";
import type { MetricPoint } from "../present-metrics.ts";
import type { TraceListRequest } from "../rules.ts";
import type { SealedBatch } from "../span-batch.ts";
import type { TracePage } from "./list.ts";
import { toStoredSpans } from "./spans.ts";
import type { StoredSpan } from "../stored-span.ts";
import type { TraceSummaryRow } from "../summary-row.ts";

export type TraceWithSpans = { summary: TraceSummaryRow; spans: StoredSpan[]; truncated: boolean };

/** The trace store: the loader thread and its database, seen from the main thread. */
export type Analytics = {
  listTraces: (request: TraceListRequest) => Promise<TracePage>;
  /** The conversation that the trace is of. Its spans by start, at most 10,000; `truncated` says that there are more. Null when the project has no such trace. */
  readTrace: (project: number, traceId: string) => Promise<TraceWithSpans | null>;
  /** The same without its spans. */
  readSummary: (project: number, traceId: string) => Promise<TraceSummaryRow | null>;
  /** Null when there are more points than are answered. */
  readMetrics: (request: MetricsRequest) => Promise<MetricPoint[] | null>;
  /** Has what an older mapping read, or all, be read again; answers how many conversations still wait. */
  remap: (project: number, all: boolean) => Promise<number>;
  /** When a worker last sent spans of a production conversation, in Unix milliseconds; null while none has. */
  lastSent: (project: number) => Promise<number | null>;
  /** Drops the days before `day`, which counts from 1970-01-01 UTC. */
  dropDaysBefore: (day: number) => Promise<void>;
  reachable: () => boolean;

  /** Every journal record up to this one is in the tables. */
  loadedLsn: () => number;
  /** Hands a batch over; its buffers are gone from this thread. */
  load: (batch: SealedBatch) => void;
  /** What was handed over and is not committed yet. */
  inFlight: () => { batches: number; bytes: number };
  /** Called after every commit, and once when the thread has died, until the answer is called. */
  onProgress: (listener: () => void) => () => void;
  /** Everything handed over is committed and its conversations are read. */
  settle: () => Promise<void>;
  close: () => Promise<void>;
};

export type AnalyticsOptions = {
  dataDir: string;
  log: Log;
  retentionDays?: number | undefined;
  memoryLimitMb?: number;
};

const CALLS_MAX = 256;
/** A larger one holds garbage for long and collects it no cheaper. */
const YOUNG_HEAP_MB = 24;
/** Room for the largest conversation that is read at once, in the densest JSON. Under a higher limit V8 collects later. */
const OLD_HEAP_MB = 1536;
const CLOSE_MS = 30_000;

/** Opens the trace store in `dataDir` and holds that directory against a second server until `close`. */
export async function openAnalytics({
  dataDir,
  log,
  retentionDays,
  memoryLimitMb = 256,
}: AnalyticsOptions): Promise<Analytics> {
  mkdirSync(dataDir, { recursive: true });
  const unlock = lockDataDir(dataDir);
  try {
    return await startThread({ dataDir, memoryLimitMb }, log, retentionDays, unlock);
  } catch (error) {
    unlock();
    throw error;
  }
}

async function startThread(
  workerData: LoaderData,
  log: Log,
  retentionDays: number | undefined,
  unlock: () => void,
): Promise<Analytics> {
  const fromSource = import.meta.url.endsWith(".ts");
  const entry = new URL(fromSource ? "./thread.ts" : "./thread.js", import.meta.url);
  const compileCache = getCompileCacheDir();
  const worker = new Worker(entry, {
    workerData,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_HEAP_MB, maxOldGenerationSizeMb: OLD_HEAP_MB },
    execArgv: fromSource ? ["--conditions=svc-source"] : [],
    // The cache of compiled code is each thread's own to open; it lies in a folder below the one that is named.
    env: compileCache === undefined ? {} : { NODE_COMPILE_CACHE: dirname(compileCache) },
  });
  const open = new Map<number, { resolve: (value: never) => void; reject: (error: unknown) => void }>();
  const flight: number[] = []; // bytes of each batch handed over
  const listeners = new Set<() => void>();
  let bytesInFlight = 0;
  let lastCall = 0;
  let loadedLsn = 0;
  let alive = true;
  let closing: Promise<void> | undefined;

  const progress = () => {
    for (const listener of listeners) listener();
  };

  /** The thread does no more work; what it has not committed stays in the journal. */
  function lose(): void {
    alive = false;
    for (const call of open.values()) call.reject(unreachable());
    open.clear();
    progress();
  }

  const exited = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
  await new Promise<void>((resolve, reject) => {
    worker.on("message", (message: FromLoader) => {
      if (message.kind === "committed") {
        loadedLsn = Math.max(loadedLsn, message.lsn);
        for (const bytes of flight.splice(0, message.batches)) bytesInFlight -= bytes;
        progress();
      } else if (message.kind === "log") {
        log[message.level](message.details, message.message);
      } else if (message.kind === "failed") {
        log.error({ err: message.error }, "the trace store has failed; restart the service");
        lose();
      } else if (message.kind === "ready") {
        loadedLsn = message.loadedLsn;
        resolve();
      } else {
        const call = open.get(message.id);
        open.delete(message.id);
        if (message.kind === "answer") call?.resolve(message.value as never);
        else call?.reject(message.interrupted ? tookTooLong() : message.error);
      }
    });
    worker.on("error", (error) => {
      log.error({ err: error }, "the trace store has failed; restart the service");
      reject(error);
    });
    worker.on("exit", () => {
      lose();
      reject(unreachable());
    });
  });

  function post(message: ToLoader, transfer: ArrayBuffer[] = []): void {
    worker.postMessage(message, transfer);
  }

  function ask<Call extends keyof LoaderCalls>(
    call: Call,
    ...args: Parameters<LoaderCalls[Call]>
  ): ReturnType<LoaderCalls[Call]> {
    const answer = new Promise<never>((resolve, reject) => {
      if (!alive) throw unreachable();
      if (open.size >= CALLS_MAX) throw tooBusy();
      open.set(++lastCall, { resolve, reject });
      post({ kind: "call", id: lastCall, call, args });
    });
    return answer as ReturnType<LoaderCalls[Call]>;
  }

  const dropDaysBefore = (day: number) => ask("dropDaysBefore", day);
  const stopping = new AbortController();
  if (retentionDays !== undefined) {
    startRetention(retentionDays, dropDaysBefore, stopping.signal, (error) =>
      log.error({ err: error }, "dropping old traces failed"),
    );
  }

  async function close(): Promise<void> {
    stopping.abort();
    const deadline = setTimeout(() => void worker.terminate(), CLOSE_MS);
    if (alive) {
      await ask("close").catch((error: unknown) => log.error({ err: error }, "the trace store did not close in order"));
    }
    await exited;
    clearTimeout(deadline);
    unlock();
  }

  return {
    listTraces: (request) => ask("listTraces", request),
    readTrace: async (project, traceId) => {
      const found = await ask("readTrace", project, traceId);
      return found && { summary: found.summary, spans: toStoredSpans(found.rows), truncated: found.truncated };
    },
    readSummary: (project, traceId) => ask("readSummary", project, traceId),
    readMetrics: (request) => ask("readMetrics", request),
    remap: (project, all) => ask("remap", project, all),
    lastSent: (project) => ask("lastSent", project),
    dropDaysBefore,
    reachable: () => alive && closing === undefined,
    loadedLsn: () => loadedLsn,
    load: (batch) => {
      const bytes = batch.fixed.byteLength + batch.text.byteLength + batch.heap.byteLength;
      flight.push(bytes);
      bytesInFlight += bytes;
      post({ kind: "batch", batch }, [batch.fixed, batch.text, batch.heap]);
    },
    inFlight: () => ({ batches: flight.length, bytes: bytesInFlight }),
    onProgress: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    settle: () => ask("settle"),
    close: () => (closing ??= close()),
  };
}

const unreachable = () => unavailable("The trace store is not reachable; restart the service.", 30);
const tooBusy = () => unavailable("Too many questions wait for the trace store; ask again.", 1);
const tookTooLong = () => unavailable("The answer took too long; ask for a shorter time range.", 5);
