import { inGroups } from "../base/async/in-groups.ts";
import { sha256 } from "../base/secrets/secrets.ts";
import { countRequests, removeOldCounts, takeTokens } from "../stores/request-counts.ts";
import { isPostgres } from "../stores/dialect.ts";
import type { Db } from "../stores/relational.ts";
import {
  createRateLimit,
  createTokenBucket,
  createTurns,
  RATE_WINDOW_MS,
  type RateWindow,
  type SharedRateLimit,
  windowOf,
} from "./rate-limit.ts";

// With SQLite, one process gets all requests and counts them in memory, because a count in the database would cost a write for each
// request.

/** Limits with different names count separately. */
export const createLimit = (db: Db, name: string, limit: number, windowMs?: number): SharedRateLimit =>
  isPostgres(db) ? createSharedRateLimit(db, name, limit, windowMs) : createRateLimit(limit, windowMs);

export const createBucket = (db: Db, limitPerMinute: number): SharedRateLimit =>
  isPostgres(db) ? createSharedTokenBucket(db, limitPerMinute) : createTokenBucket(limitPerMinute);

/**
 * Counts the requests of all processes in fixed windows, with the clock of the database. One statement counts all requests that wait at
 * the same time. The database stores only digests of the subjects.
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

function createSharedTokenBucket(db: Db, limitPerMinute: number): SharedRateLimit {
  const nextTryMs = createTurns(limitPerMinute / 60_000);
  const takeInGroups = inGroups((requests) => takeTokens(db, requests, limitPerMinute));

  return {
    async count(subject) {
      const { answer, place } = await takeInGroups(subject);
      const exceeded = place > answer.granted;
      const tokens = exceeded ? answer.tokens : answer.tokens + answer.granted - place;
      return windowOf(limitPerMinute, tokens, exceeded, nextTryMs(subject, tokens, exceeded, performance.now()));
    },
  };
}
