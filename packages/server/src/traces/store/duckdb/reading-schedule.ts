import { DUE, type DueConversation, findDue, isGrowing, type WatchedTrace } from "./due-readings.ts";
import type { Projector } from "./projector.ts";
import type { Statements } from "./statements.ts";

const CONVERSATIONS_PER_ROUND = 128;
/** The pause between two looks for conversations, while none is watched and no more are due than the last look found. */
const LOOK_MS = 1_000;
/** A longer pause as a multiple of the duration of a look, which grows with the number of stored traces: 5 % of the thread's time. */
const LOOK_PAUSE_FACTOR = 19;
/** The pause after readings of conversations that are not due, as a multiple of their duration: 2 % of the thread's time. */
const GROWING_PAUSE_FACTOR = 49;
/** The longest pause before a look while someone reads conversations that are still sent. */
const WATCHED_LOOK_MS = 200;
const WATCHED_MS = 30_000;
const WATCHED_MAX = 200;

export type ReadingSchedule = {
  /** Makes the next round look for conversations again, because spans were added or erased. */
  outdate: () => void;
  /** Reads a conversation as soon as it has new spans, for the next half minute. */
  watch: (traces: readonly WatchedTrace[]) => void;
  /** Returns when the next round may have work, in the time of `performance.now`; Infinity when nothing waits. */
  nextAt: () => number;
  /** Returns whether conversations that are due wait for the next round. */
  isBehind: () => boolean;
  /** Returns since when the longest waiting conversation is due, in Unix milliseconds; undefined when none waits. */
  dueSinceMs: () => number | undefined;
  /** Chooses the conversations of the next round; returns undefined when none waits. */
  begin: () => Promise<StartedRound | undefined>;
  /** Reads every conversation that has new spans, due or not. */
  readAll: () => Promise<void>;
};

/** A round whose conversations are read by another thread, so that other work may run until `store`. */
export type StartedRound = {
  /** Resolves once the readings are derived. */
  read: () => Promise<void>;
  /** Stores the readings. Spans may have been added since the round began; nothing may have been erased. */
  store: () => Promise<void>;
};

/**
 * Creates the schedule by which conversations are read; it starts no work by itself. Conversations that are due come first, and
 * those that still grow get the rest of a small share of the thread's time.
 */
export function createReadingSchedule(statements: Statements, projector: Projector): ReadingSchedule {
  const watched = new Map<string, WatchedTrace & { untilMs: number }>();
  let due: DueConversation[] = [];
  let isOutdated = true;
  let hasGrowing = false;
  let isMore = false;
  let dueSinceMs: number | undefined;
  let looks = 0;
  let lookedAt = 0;
  let lookAt = 0;
  let growingAt = 0;

  async function look(all: boolean): Promise<void> {
    const start = performance.now();
    for (const [key, { untilMs }] of watched) if (untilMs < start) watched.delete(key);
    const found = await findDue(statements, ++looks, {
      nowMs: Date.now(),
      watched: [...watched.values()],
      all: all || start >= growingAt,
    });
    ({ due, hasGrowing, dueSinceMs, isMore } = found);
    isOutdated = isMore;
    lookedAt = performance.now();
    lookAt = isMore ? 0 : lookedAt + Math.max(LOOK_MS, LOOK_PAUSE_FACTOR * (lookedAt - start));
  }

  async function begin(all = false): Promise<StartedRound | undefined> {
    if (due.length === 0) await look(all);
    const next = due.slice(0, CONVERSATIONS_PER_ROUND);
    if (next.length === 0) return undefined;
    const start = performance.now();
    const round = await projector.choose(next);
    let outcomes: Awaited<ReturnType<Projector["read"]>> = null;

    return {
      async read() {
        if (round.conversations !== null) outcomes = await projector.read(round);
      },
      async store() {
        leave(round.conversations === null ? round.last : await projector.store(round, outcomes));
        if (!all && next.some((conversation) => isGrowing(conversation) && !due.includes(conversation)))
          postponeGrowing(start);
      },
    };
  }

  /** Removes the conversations up to a place, whose readings are stored. */
  function leave(last: number): void {
    due = due.filter(({ place }) => place > last);
    if (!isMore && !due.some(({ urgency }) => urgency <= DUE)) dueSinceMs = undefined;
  }

  function postponeGrowing(start: number): void {
    const end = performance.now();
    growingAt = end + GROWING_PAUSE_FACTOR * (end - start);
    hasGrowing ||= due.some(isGrowing);
    due = due.filter((conversation) => !isGrowing(conversation));
  }

  async function readAll(): Promise<void> {
    for (let round = await begin(true); round !== undefined; round = await begin(true)) {
      await round.read();
      await round.store();
    }
  }

  function nextAt(): number {
    if (due.length > 0) return 0;
    if (isOutdated) return lookAt;
    return hasGrowing ? lookAt : Number.POSITIVE_INFINITY;
  }

  function outdate(): void {
    isOutdated = true;
    if (watched.size > 0) lookAt = Math.min(lookAt, lookedAt + WATCHED_LOOK_MS);
  }

  function watch(traces: readonly WatchedTrace[]): void {
    const untilMs = performance.now() + WATCHED_MS;
    for (const trace of traces) {
      const key = `${trace.project} ${trace.traceId}`;
      watched.delete(key);
      watched.set(key, { ...trace, untilMs });
    }
    for (const key of watched.keys()) if (watched.size > WATCHED_MAX) watched.delete(key);
    if (hasGrowing) outdate();
  }

  return {
    outdate,
    watch,
    nextAt,
    isBehind: () => due.length > 0,
    dueSinceMs: () => dueSinceMs,
    begin: () => begin(),
    readAll,
  };
}
