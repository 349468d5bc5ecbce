import { inGroups } from "../in-groups.ts";
import { sha256 } from "../secrets.ts";
import { countRequests, removeOldCounts } from "../stores/request-counts.ts";
import { isPostgres } from "../stores/dialect.ts";
import type { Db } from "../stores/relational.ts";
import { createRateLimit, RATE_WINDOW_MS, type RateWindow, type SharedRateLimit } from "./rate-limit.ts";

/** Creates a limit of the requests that all processes on the store get. Limits with different names count apart. */
export const createLimit = (db: Db, name: string, limit: number, windowMs?: number): SharedRateLimit =>
  isPostgres(db) ? createSharedRateLimit(db, name, limit, windowMs) : createRateLimit(limit, windowMs);

/**
 * Counts the requests of all processes on one database in fixed windows, by the database's clock. The requests that wait
 * together are counted by one statement. The database holds digests of the subjects.
 */
function createSharedRateLimit(db: Db, name: string, limit: number, windowMs = RATE_WINDOW_MS): SharedRateLimit {
  let removedMs = performance.now();
  const countInGroups = inGroups(async (requests) => {
    if (performance.now() - removedMs >= windowMs) {
      removedMs = performance.now();
      await removeOldCounts(db);
    }
    return countRequests(db, requests, windowMs);
  });

  return {
    async count(subject): Promise<RateWindow> {
      const { answer, place, calls } = await countInGroups(sha256(`${name} ${subject}`));
      const count = answer.count - calls + place;
      return {
        limit,
        remaining: Math.max(0, limit - count),
        resetSeconds: Math.min(windowMs / 1000, Math.max(1, Math.ceil(answer.leftMs / 1000))),
        exceeded: count > limit,
      };
    },
  };
}
