import { every } from "../../every.ts";
import { dayOf } from "./days.ts";

const DROP_EVERY_MS = 60 * 60 * 1000;

/** The first day that is still kept, in days since 1970-01-01 UTC. */
const firstKeptDay = (nowMs: number, retentionDays: number) => dayOf(nowMs) - retentionDays;

/** Drops the days before the retention period, now and every hour, until `signal` aborts. */
export function startRetention(
  retentionDays: number,
  drop: (firstKept: number) => Promise<void>,
  signal: AbortSignal,
  failed: (error: unknown) => void,
): void {
  every(DROP_EVERY_MS, () => drop(firstKeptDay(Date.now(), retentionDays)), signal, failed);
}
