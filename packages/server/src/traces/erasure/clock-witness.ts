import type { ClockWitness } from "../store/clock-witness-row.ts";
import { DAY_MS } from "../store/day.ts";

/**
 * Returns the witness after `elapsedMs` of running time. A wall clock that moved a day more than that has leapt: the clock was
 * set, or the service did not run. Erasing then waits for a day of running time, in which people can set a wrong clock right.
 * Without an earlier witness it waits too.
 */
export function observeClock(witness: ClockWitness | undefined, nowMs: number, elapsedMs: number): ClockWitness {
  if (witness === undefined) return { seenMs: nowMs, holdMs: DAY_MS };
  const hasLeapt = nowMs - witness.seenMs - elapsedMs > DAY_MS;
  // Another process on the same database may have observed the clock in between.
  const unseenMs = Math.min(elapsedMs, Math.max(0, nowMs - witness.seenMs));
  return { seenMs: nowMs, holdMs: hasLeapt ? DAY_MS : Math.max(0, witness.holdMs - unseenMs) };
}
