import type { MonitorCounters } from "./counters.ts";
import { PACE } from "./pace.ts";
import type { Post } from "./post.ts";
import type { PostResult } from "./post-result.ts";
import { createSpool } from "./spool.ts";

const FULL = "The memory for waiting spans is full: the oldest spans are dropped and counted.";
const TOO_LARGE = "A span is larger than the memory for waiting spans: it is dropped and counted.";

/** Queue that stores spans in a bounded memory and sends them, oldest first, one request at a time. Its methods never throw. */
export type Delivery = {
  /** Adds an encoded span. Drops the oldest spans when the memory is full. */
  add(span: Uint8Array): void;
  /** Sends all waiting spans. Returns whether none is left after at most `timeoutMs`. Spans that are left stay in the queue. */
  flush(timeoutMs: number): Promise<boolean>;
  /** Drops the waiting spans, aborts the current request, and makes `add` drop all later spans. */
  stop(): void;
};

type DeliveryOptions = {
  post: Post;
  counters: MonitorCounters;
  warn: (problem: string) => void;
  pace?: typeof PACE;
};

export function createDelivery({ post, counters, warn, pace = PACE }: DeliveryOptions): Delivery {
  const spool = createSpool(pace.spool);
  const deadlines = new Set<number>();
  const abort = new AbortController();
  const loggedProblems = new Set<string>();
  let mostBytes = pace.batch.bytes;
  let flushMs = pace.flushMs;
  let notBefore = 0;
  let backoffMs = pace.firstBackoffMs;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let wake = () => {};

  const isStopped = () => abort.signal.aborted;
  const deadline = () => Math.min(...deadlines);
  const isFull = () => spool.spans() >= pace.batch.spans || spool.bytes() >= mostBytes;

  function updateCounters(): void {
    counters.waiting = spool.spans();
    counters.waitingBytes = spool.bytes();
  }

  function drop(spans: number, problem = FULL): void {
    if (spans === 0) return;
    counters.dropped += spans;
    report(problem);
  }

  function schedule(delayMs: number): void {
    if (isStopped() || running !== undefined || timer !== undefined || spool.spans() === 0) return;
    timer = setTimeout(start, delayMs);
    timer.unref();
  }

  function start(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    running ??= drain()
      .catch(report)
      .finally(() => {
        running = undefined;
        updateCounters();
        schedule(Math.max(flushMs, notBefore - Date.now()));
      });
    return running;
  }

  /**
   * Sends one request, and further requests while enough spans for a full request wait or a flush is in progress. The remaining spans wait
   * for the next interval.
   */
  async function drain(): Promise<void> {
    while (spool.spans() > 0) {
      await waitForPause();
      if (isStopped()) return;
      const batch = spool.take({ spans: pace.batch.spans, bytes: mostBytes });
      counters.requests += 1;
      const result = await post(batch, AbortSignal.any([abort.signal, AbortSignal.timeout(pace.requestTimeoutMs)]));
      applyResult(batch, result);
      updateCounters();
      if (result.kind === "accepted" && deadlines.size === 0 && !isFull()) return;
      if (Date.now() < notBefore && deadline() - Date.now() <= pace.lastTryMs) return void deadlines.delete(deadline());
    }
  }

  function applyResult(batch: Uint8Array[], result: PostResult): void {
    if (isStopped() && result.kind !== "accepted") {
      spool.release(batch);
      counters.dropped += batch.length;
      return;
    }
    if (result.problem !== undefined) report(result.problem);
    if (result.kind === "retry") {
      counters.retries += 1;
      const jittered = backoffMs * (0.8 + Math.random() * 0.4);
      notBefore = Date.now() + Math.max(result.retryAfterMs ?? jittered, pace.firstBackoffMs);
      backoffMs = Math.min(backoffMs * 2, pace.longestBackoffMs);
      return drop(spool.putBack(batch));
    }
    if (result.kind === "too-large" && batch.length > 1) {
      mostBytes = Math.floor(sizeOf(batch) / 2);
      return drop(spool.putBack(batch));
    }
    spool.release(batch);
    const refused = result.kind === "accepted" ? Math.min(result.refused, batch.length) : batch.length;
    counters.refused += refused;
    counters.delivered += batch.length - refused;
    if (result.kind === "accepted") {
      backoffMs = pace.firstBackoffMs;
      flushMs = Math.min(pace.flushMs / result.limitLeft, pace.longestFlushMs);
    }
    if (result.kind === "stop") stop();
  }

  function report(problem: unknown): void {
    const text = typeof problem === "string" ? problem : String(problem);
    counters.lastProblem = text;
    if (loggedProblems.has(text) || loggedProblems.size === pace.warnings) return;
    loggedProblems.add(text);
    warn(text);
  }

  /** Waits for the end of the pause after a failed request. A flush shortens the pause, so that a last attempt fits before its deadline. */
  async function waitForPause(): Promise<void> {
    for (;;) {
      const waitMs = Math.min(notBefore, deadline() - pace.lastTryMs) - Date.now();
      if (waitMs <= 0 || isStopped()) return;
      await new Promise<void>((resolve) => {
        const pause = setTimeout(resolve, waitMs);
        pause.unref();
        wake = () => {
          clearTimeout(pause);
          resolve();
        };
      });
    }
  }

  function stop(): void {
    clearTimeout(timer);
    abort.abort();
    wake();
    counters.dropped += spool.clear();
    updateCounters();
  }

  return {
    add(span) {
      if (isStopped()) {
        counters.dropped += 1;
        return;
      }
      drop(spool.add(span), span.byteLength > pace.spool.bytes ? TOO_LARGE : FULL);
      updateCounters();
      if (isFull()) void start();
      else schedule(flushMs);
    },

    async flush(timeoutMs) {
      const end = Date.now() + timeoutMs;
      let flushTimer: NodeJS.Timeout | undefined;
      const timeout = new Promise<void>((resolve) => {
        flushTimer = setTimeout(resolve, timeoutMs);
      });
      deadlines.add(end);
      wake();
      try {
        do await Promise.race([start(), timeout]);
        while (spool.spans() > 0 && !isStopped() && end - Date.now() > pace.lastTryMs);
        return spool.spans() === 0;
      } finally {
        deadlines.delete(end);
        clearTimeout(flushTimer);
      }
    },

    stop,
  };
}

const sizeOf = (batch: Uint8Array[]) => batch.reduce((bytes, span) => bytes + span.byteLength, 0);
