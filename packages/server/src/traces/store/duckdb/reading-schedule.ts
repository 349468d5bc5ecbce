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
  /** Derives and stores the readings of the next conversations; returns whether there were any. */
  readRound: () => Promise<boolean>;
  /** Reads every conversation that has new spans, due or not. */
  readAll: () => Promise<void>;
};

/**
 * Creates the schedule by which conversations are read; it starts no work by itself. Conversations that are due come first, and
 * those that still grow get the rest of a small share of the thread's time.
 */
export function createReadingSchedule(statements: Statements, { project }: Projector): ReadingSchedule {
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

  async function readRound(): Promise<boolean> {
    if (due.length === 0) await look(false);
    const next = due.slice(0, CONVERSATIONS_PER_ROUND);
    if (next.length === 0) return false;
    const start = performance.now();
    await readNext(next);
    const end = performance.now();
    if (!next.some((conversation) => isGrowing(conversation) && !due.includes(conversation))) return true;
    growingAt = end + GROWING_PAUSE_FACTOR * (end - start);
    hasGrowing ||= due.some(isGrowing);
    due = due.filter((conversation) => !isGrowing(conversation));
    return true;
  }

  async function readAll(): Promise<void> {
    for (;;) {
      if (due.length === 0) await look(true);
      if (due.length === 0) return;
      await readNext(due.slice(0, CONVERSATIONS_PER_ROUND));
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

  /** Reads the first of these conversations, as many as fit into one read. */
  async function readNext(next: readonly DueConversation[]): Promise<void> {
    const last = await project(next);
    due = due.filter(({ place }) => place > last);
    if (!isMore && !due.some(({ urgency }) => urgency <= DUE)) dueSinceMs = undefined;
  }

  return {
    outdate,
    watch,
    nextAt,
    isBehind: () => due.length > 0,
    dueSinceMs: () => dueSinceMs,
    readRound,
    readAll,
  };
}
