import type { MonitorCounters } from "./counters.ts";
import type { Post } from "./post.ts";
import { openSpool } from "./spool.ts";
import type { Verdict } from "./verdict.ts";

export const PACE = {
  /** Spans wait this long for company, and longer as less of the service's limit of requests is left. */
  flushMs: 1_000,
  longestFlushMs: 15_000,
  batch: { spans: 256, bytes: 4 << 20 },
  spool: { spans: 8_192, bytes: 16 << 20 },
  requestTimeoutMs: 10_000,
  firstBackoffMs: 500,
  longestBackoffMs: 15_000,
  /** What a flush keeps of its time for one last try, whatever pause is under way. */
  lastTryMs: 1_000,
  /** Each problem is told once, and no more than these. */
  warnings: 20,
};

const FULL = "The memory for held spans is full: the oldest are dropped and counted.";
const TOO_LARGE = "A span is larger than the memory for held spans: it is dropped and counted.";

export type Delivery = ReturnType<typeof startDelivery>;

/** Holds spans within bounds and sends them, one request at a time, oldest first. Nothing in it throws. */
export function startDelivery({
  post,
  counters,
  warn,
  pace = PACE,
}: {
  post: Post;
  counters: MonitorCounters;
  warn: (problem: string) => void;
  pace?: typeof PACE;
}) {
  const spool = openSpool(pace.spool);
  const deadlines = new Set<number>();
  const cut = new AbortController();
  const said = new Set<string>();
  let mostBytes = pace.batch.bytes;
  let flushMs = pace.flushMs;
  let notBefore = 0;
  let backoffMs = pace.firstBackoffMs;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let wake = () => {};

  const isStopped = () => cut.signal.aborted;
  const deadline = () => Math.min(...deadlines);
  const isFull = () => spool.spans() >= pace.batch.spans || spool.bytes() >= mostBytes;

  function note(): void {
    counters.waiting = spool.spans();
    counters.waitingBytes = spool.bytes();
  }

  function drop(spans: number, problem = FULL): void {
    if (spans === 0) return;
    counters.dropped += spans;
    problemOf(problem);
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
      .catch(problemOf)
      .finally(() => {
        running = undefined;
        note();
        schedule(Math.max(flushMs, notBefore - Date.now()));
      });
    return running;
  }

  /** Sends what fills a body, or all when a flush waits; what came during a request waits for company of its own. */
  async function drain(): Promise<void> {
    while (spool.spans() > 0) {
      await pauseOver();
      if (isStopped()) return;
      const batch = spool.take({ spans: pace.batch.spans, bytes: mostBytes });
      counters.requests += 1;
      const verdict = await post(batch, AbortSignal.any([cut.signal, AbortSignal.timeout(pace.requestTimeoutMs)]));
      settle(batch, verdict);
      note();
      if (verdict.kind === "taken" && deadlines.size === 0 && !isFull()) return;
      if (Date.now() < notBefore && deadline() - Date.now() <= pace.lastTryMs) return void deadlines.delete(deadline());
    }
  }

  function settle(batch: Uint8Array[], verdict: Verdict): void {
    if (isStopped() && verdict.kind !== "taken") {
      spool.settle(batch);
      counters.dropped += batch.length;
      return;
    }
    if (verdict.problem !== undefined) problemOf(verdict.problem);
    if (verdict.kind === "retry") {
      counters.retries += 1;
      const jittered = backoffMs * (0.8 + Math.random() * 0.4);
      notBefore = Date.now() + Math.max(verdict.retryAfterMs ?? jittered, pace.firstBackoffMs);
      backoffMs = Math.min(backoffMs * 2, pace.longestBackoffMs);
      return drop(spool.putBack(batch));
    }
    if (verdict.kind === "too-large" && batch.length > 1) {
      mostBytes = Math.floor(sizeOf(batch) / 2);
      return drop(spool.putBack(batch));
    }
    spool.settle(batch);
    const refused = verdict.kind === "taken" ? Math.min(verdict.refused, batch.length) : batch.length;
    counters.refused += refused;
    counters.delivered += batch.length - refused;
    if (verdict.kind === "taken") {
      backoffMs = pace.firstBackoffMs;
      flushMs = Math.min(pace.flushMs / verdict.limitLeft, pace.longestFlushMs);
    }
    if (verdict.kind === "stop") stop();
  }

  function problemOf(problem: unknown): void {
    const text = typeof problem === "string" ? problem : String(problem);
    counters.lastProblem = text;
    if (said.has(text) || said.size === pace.warnings) return;
    said.add(text);
    warn(text);
  }

  /** Waits out the pause that the last answer asked for; a flush cuts it short in time for one last try. */
  async function pauseOver(): Promise<void> {
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

  /** Gives up what is held, and cuts off the request under way. */
  function stop(): void {
    clearTimeout(timer);
    cut.abort();
    wake();
    counters.dropped += spool.clear();
    note();
  }

  return {
    add(span: Uint8Array): void {
      if (isStopped()) {
        counters.dropped += 1;
        return;
      }
      drop(spool.add(span), span.byteLength > pace.spool.bytes ? TOO_LARGE : FULL);
      note();
      if (isFull()) void start();
      else schedule(flushMs);
    },

    /** Sends all that is held; answers whether it was all settled in time. Spans left stay held. */
    async flush(timeoutMs: number): Promise<boolean> {
      const end = Date.now() + timeoutMs;
      let late: NodeJS.Timeout | undefined;
      const tooLate = new Promise<void>((resolve) => {
        late = setTimeout(resolve, timeoutMs);
      });
      deadlines.add(end);
      wake();
      try {
        do await Promise.race([start(), tooLate]);
        while (spool.spans() > 0 && !isStopped() && end - Date.now() > pace.lastTryMs);
        return spool.spans() === 0;
      } finally {
        deadlines.delete(end);
        clearTimeout(late);
      }
    },

    stop,
  };
}

const sizeOf = (batch: Uint8Array[]) => batch.reduce((bytes, span) => bytes + span.byteLength, 0);
