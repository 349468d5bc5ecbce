import { dayOf } from "./day.ts";

const LOOK_EVERY_MS = 60 * 60 * 1000;

/** Returns the first day within the retention, in days since 1970-01-01 UTC. */
const firstKeptDay = (nowMs: number, retentionDays: number) => dayOf(nowMs) - retentionDays;

/** Drops the days before the retention now and every hour; returns the function that ends this. */
export function startRetention(
  retentionDays: number,
  drop: (firstKept: number) => Promise<void>,
  failed: (error: unknown) => void,
): () => void {
  const look = () => void drop(firstKeptDay(Date.now(), retentionDays)).catch(failed);
  const timer = setInterval(look, LOOK_EVERY_MS);
  timer.unref();
  look();
  return () => clearInterval(timer);
}
