import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isPostgres } from "../../stores/dialect.ts";
import type { Db } from "../../stores/relational.ts";
import { type ClockWitness, createWitnessRow, type WitnessStore } from "../store/clock-witness-row.ts";
import { DAY_MS } from "../store/day.ts";

const FILE = "clock.json";

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

/** Returns the witness's place: a row that all processes on a database share, else a file in the data folder. */
export const createWitnessStore = (dataDir: string, db: Db): WitnessStore =>
  isPostgres(db) ? createWitnessRow(db) : createWitnessFile(dataDir);

export function createWitnessFile(dataDir: string): WitnessStore {
  const file = join(dataDir, FILE);
  return {
    async read() {
      try {
        const { seenMs, holdMs } = JSON.parse(readFileSync(file, "utf8"));
        return Number.isFinite(seenMs) && Number.isFinite(holdMs) ? { seenMs, holdMs } : undefined;
      } catch {
        return undefined;
      }
    },
    async write(witness) {
      writeFileSync(`${file}.new`, JSON.stringify(witness), { flush: true });
      renameSync(`${file}.new`, file);
    },
  };
}
