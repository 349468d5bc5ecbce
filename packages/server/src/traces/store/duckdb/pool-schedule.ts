import type { DatabaseConnection } from "./database.ts";
import { CHANGING_MS, makePools } from "./pools.ts";

/** The pause after a round, as a multiple of its duration, so that rounds take 5 % of the thread's time. */
const PAUSE_FACTOR = 19;

type PoolSchedule = {
  /** Notes that quarters have changed; a later round must look for them. */
  outdate: () => void;
  /** Returns when the next round may have work, as a time of `performance.now`. Infinity if nothing waits. */
  nextAt: () => number;
  /** Builds the pools of some quarters that have not changed lately. */
  makeRound: () => Promise<void>;
  /** Builds the pools of every changed quarter. */
  makeAll: () => Promise<void>;
};

/**
 * Creates the schedule by which samples are pooled. It only computes times; the caller runs the rounds. A first round is due
 * after each start.
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
