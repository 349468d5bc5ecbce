import type { DatabaseConnection } from "./database.ts";
import { CHANGING_MS, makePools } from "./pools.ts";

/** The pause after a round, as a multiple of its duration: 5 % of the thread's time. */
const PAUSE_FACTOR = 19;

type PoolSchedule = {
  /** Makes a later round look for changed quarters. */
  outdate: () => void;
  /** Returns when the next round may have work, in the time of `performance.now`; Infinity when nothing waits. */
  nextAt: () => number;
  /** Makes the pools of some quarters that no longer change. */
  makeRound: () => Promise<void>;
  /** Makes the pools of every changed quarter. */
  makeAll: () => Promise<void>;
};

/** Creates the schedule by which samples are pooled; it starts no work by itself. The first round follows a start. */
export function createPoolSchedule(write: DatabaseConnection): PoolSchedule {
  let next = performance.now() + CHANGING_MS;

  async function makeRound(): Promise<void> {
    const start = performance.now();
    next = start + CHANGING_MS; // also after a failure, so that other work goes on
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
