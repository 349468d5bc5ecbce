import type { DatabaseConnection } from "./database.ts";
import { CHANGING_MS, makePools } from "./pools.ts";

/** Pause after a round, as a multiple of the round's duration, so that rounds use 5 % of the thread's time. */
const PAUSE_FACTOR = 19;

type PoolSchedule = {
  outdate: () => void;
  /** Returns the time of the next round, as a time of `performance.now`; Infinity if no quarter waits. */
  nextAt: () => number;
  /** Runs one round: builds the pools of some quarters that have not changed within `CHANGING_MS`. */
  makeRound: () => Promise<void>;
  makeAll: () => Promise<void>;
};

/**
 * The schedule starts no round by itself: the caller calls `makeRound` at the time of `nextAt`. A first round is due
 * `CHANGING_MS` after each start.
 */
export function createPoolSchedule(write: DatabaseConnection): PoolSchedule {
  let next = performance.now() + CHANGING_MS;

  async function makeRound(): Promise<void> {
    const start = performance.now();
    next = start + CHANGING_MS; // set before the work: after a failure, other work can go on
    const { isMore, remain } = await makePools(write, { all: false });
    const end = performance.now();
    if (isMore) next = end + PAUSE_FACTOR * (end - start);
    else next = remain ? end + CHANGING_MS : Number.POSITIVE_INFINITY;
  }

  async function makeAll(): Promise<void> {
    while ((await makePools(write, { all: true })).isMore);
    next = Number.POSITIVE_INFINITY;
  }

  return {
    outdate: () => (next = Math.min(next, performance.now() + CHANGING_MS)),
    nextAt: () => next,
    makeRound,
    makeAll,
  };
}
