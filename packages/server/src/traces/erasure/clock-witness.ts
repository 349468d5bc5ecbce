import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DAY_MS } from "../store/day.ts";

/** The last time that the service saw on the wall clock, and how long it must still run before it may erase data. */
type ClockWitness = { seenMs: number; holdMs: number };

const FILE = "clock.json";

/**
 * Returns the witness after `elapsedMs` of running time. A wall clock that moved a day more than that has leapt: the clock was
 * set, or the service did not run. Erasing then waits for a day of running time, in which people can set a wrong clock right.
 */
export function observeClock(witness: ClockWitness, nowMs: number, elapsedMs: number): ClockWitness {
  const hasLeapt = nowMs - witness.seenMs - elapsedMs > DAY_MS;
  return { seenMs: nowMs, holdMs: hasLeapt ? DAY_MS : Math.max(0, witness.holdMs - elapsedMs) };
}

/** Returns the stored witness; without a readable one, erasing waits for a day. */
export function readWitness(dataDir: string, nowMs: number): ClockWitness {
  try {
    const { seenMs, holdMs } = JSON.parse(readFileSync(join(dataDir, FILE), "utf8"));
    if (Number.isFinite(seenMs) && Number.isFinite(holdMs)) return { seenMs, holdMs };
  } catch {
    // A missing or damaged file counts as a leap.
  }
  return { seenMs: nowMs, holdMs: DAY_MS };
}

export function writeWitness(dataDir: string, witness: ClockWitness): void {
  const file = join(dataDir, FILE);
  writeFileSync(`${file}.new`, JSON.stringify(witness), { flush: true });
  renameSync(`${file}.new`, file);
}
