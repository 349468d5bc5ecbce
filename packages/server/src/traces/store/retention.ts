import { dayOf } from "./days.ts";

const LOOK_EVERY_MS = 60 * 60 * 1000;

/** The first day that is still kept, in days since 1970-01-01 UTC. */
const firstKeptDay = (nowMs: number, retentionDays: number) => dayOf(nowMs) - retentionDays;

/** Drops what is past `retentionDays` now and every hour, until the answer is called. */
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
