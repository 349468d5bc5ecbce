import { setTimeout as delay } from "node:timers/promises";
import { AppError } from "../../../base/errors.ts";
import { type Db, isStoreUnavailable } from "../../../stores/relational.ts";
import { isAnyUnread } from "./due-conversations.ts";
import { newestReading } from "./reads.ts";

/** The pause between two looks for conversations that another process has stored. */
const LOOK_MS = 250;
const RETRY_MS = 1_000;

type Round = {
  /** Whether there was any conversation to read. */
  any: boolean;
  /** For how long the longest waiting one was due. */
  lagMs: number;
};

/** Reads the next conversations that are due, or with `all` any with new spans. One round may run at a time. */
export type ReadRound = (all: boolean) => Promise<Round>;

export type ReadingLoop = {
  /** Looks for conversations now. */
  wake: () => void;
  /** Returns for how long the longest waiting conversation is due. */
  lagMs: () => number;
  /** Calls `listener` when conversations may have been stored or read, by any process; returns a function that removes it. */
  onProgress: (listener: () => void) => () => void;
  notify: () => void;
  /** Resolves once every conversation is read, due or not, by this process or another one. */
  drain: () => Promise<void>;
  close: () => Promise<void>;
};

/** Starts the reading of conversations, which every process of a store does. */
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

/** Returns whether an engine is away for now, which health says. */
const isPassing = (error: unknown): boolean => error instanceof AppError || isStoreUnavailable(error);
