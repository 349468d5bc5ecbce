import { setTimeout as delay } from "node:timers/promises";
import { AppError } from "../../../base/errors.ts";
import { type Db, isStoreUnavailable } from "../../../stores/relational.ts";
import { isAnyUnread } from "./due-conversations.ts";
import { newestReading } from "./reads.ts";

/** Time after which the loop looks again for conversations that another process has stored. */
const LOOK_MS = 250;
const RETRY_MS = 1_000;

type Round = {
  any: boolean;
  /** Milliseconds for which the longest waiting conversation had been due; 0 if no conversation waited. */
  lagMs: number;
};

/** Derives the next conversations that are due; with `all`, also conversations that are not due yet. Only one call may run at a time. */
export type ReadRound = (all: boolean) => Promise<Round>;

export type ReadingLoop = {
  wake: () => void;
  lagMs: () => number;
  /** Calls `listener` when any process may have stored spans or derived conversations. Returns a function that removes the listener. */
  onProgress: (listener: () => void) => () => void;
  notify: () => void;
  /** Resolves once this or another process has derived every conversation, whether it was due or not. */
  drain: () => Promise<void>;
  close: () => Promise<void>;
};

/** Every process of a store runs this loop. */
export function startReadingLoop(
  db: Db,
  readRound: ReadRound,
  log: { error: (details: object, message: string) => void },
): ReadingLoop {
  const listeners = new Set<() => void>();
  const closing = new AbortController();
  let woken = Promise.withResolvers<void>();
  let lagMs = 0;
  let lastReading = 0;
  let drains = 0;

  function notify(): void {
    for (const listener of listeners) listener();
  }

  async function run(): Promise<void> {
    while (!closing.signal.aborted) {
      let pauseMs = LOOK_MS;
      try {
        woken = Promise.withResolvers();
        const round = await readRound(drains > 0);
        ({ lagMs } = round);
        if (round.any) pauseMs = 0;
        const newest = await newestReading(db);
        if (newest !== lastReading) notify();
        lastReading = newest;
      } catch (error) {
        pauseMs = RETRY_MS;
        if (!isPassing(error)) log.error({ err: error }, "conversations could not be read; the service tries again");
      }
      if (pauseMs > 0) await Promise.race([woken.promise, delay(pauseMs, undefined, { ref: false })]);
    }
  }

  const running = run();

  return {
    wake: () => woken.resolve(),
    lagMs: () => lagMs,
    notify,
    onProgress(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async drain() {
      drains++;
      try {
        while (!closing.signal.aborted && (await isAnyUnread(db))) {
          woken.resolve();
          await delay(10);
        }
      } finally {
        drains--;
      }
    },
    async close() {
      closing.abort();
      woken.resolve();
      await running;
    },
  };
}

/** An error of a temporarily unreachable engine is not logged, because the service's health reports it. */
const isPassing = (error: unknown): boolean => error instanceof AppError || isStoreUnavailable(error);
