import type { Db } from "../stores/relational.ts";
import { type CountedRequests, countRequests, removeOldCounts } from "../stores/request-counts.ts";
import { RATE_WINDOW_MS, type RateWindow, type SharedRateLimit } from "./rate-limit.ts";

/** Requests that are counted by one statement. */
type Group = { counts: Map<string, number>; windows: Promise<Map<string, CountedRequests>> };

/**
 * Counts the requests of all processes on one database in fixed windows, by the database's clock. The requests that wait
 * together are counted by one statement.
 */
export function createSharedRateLimit(db: Db, name: string, limit: number, windowMs = RATE_WINDOW_MS): SharedRateLimit {
  let waiting: Group | undefined;
  let running: Promise<unknown> = Promise.resolve();
  let removedMs = performance.now();

  function nextGroup(): Group {
    const counts = new Map<string, number>();
    const windows = running.then(async () => {
      waiting = undefined;
      if (performance.now() - removedMs >= windowMs) {
        removedMs = performance.now();
        await removeOldCounts(db);
      }
      return countRequests(db, counts, windowMs);
    });
    running = windows.catch(() => undefined);
    return { counts, windows };
  }

  return {
    async count(subject): Promise<RateWindow> {
      waiting ??= nextGroup();
      const { counts, windows } = waiting;
      const key = `${name} ${subject}`;
      const place = (counts.get(key) ?? 0) + 1;
      counts.set(key, place);
      const window = (await windows).get(key)!;
      const count = window.count - counts.get(key)! + place;
      return {
        limit,
        remaining: Math.max(0, limit - count),
        resetSeconds: Math.min(windowMs / 1000, Math.max(1, Math.ceil(window.leftMs / 1000))),
        exceeded: count > limit,
      };
    },
  };
}
