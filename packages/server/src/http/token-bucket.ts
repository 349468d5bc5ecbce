import type { RateLimit, RateWindow } from "./rate-limit.ts";

/** Beyond this number the oldest bucket is dropped; it would be full again soon. */
const TRACKED = 100_000;
const RETRY_AFTER_SECONDS_MAX = 5;

/**
 * Counts requests in one bucket for each subject. It holds a minute's requests and is refilled continuously, so that a refused
 * client may come back after a few seconds. A refused request costs nothing. Several refused requests are asked to come back one
 * after the other, because stock exporters give up after five tries.
 */
export function createTokenBucket(limitPerMinute: number): RateLimit {
  const perMs = limitPerMinute / 60_000;
  const buckets = new Map<string, { tokens: number; at: number }>();
  const nextTryMs = createTurns(perMs);

  return {
    count(subject, now = performance.now()) {
      const bucket = buckets.get(subject) ?? { tokens: limitPerMinute, at: now };
      buckets.delete(subject);
      if (buckets.size >= TRACKED) buckets.delete(buckets.keys().next().value!);
      buckets.set(subject, bucket);
      bucket.tokens = Math.min(limitPerMinute, bucket.tokens + (now - bucket.at) * perMs);
      bucket.at = now;
      const exceeded = bucket.tokens < 1;
      if (!exceeded) bucket.tokens--;
      return windowOf(limitPerMinute, bucket.tokens, exceeded, nextTryMs(subject, bucket.tokens, exceeded, now));
    },
  };
}

export const windowOf = (limit: number, tokens: number, exceeded: boolean, nextMs: number): RateWindow => ({
  limit,
  remaining: Math.floor(tokens),
  resetSeconds: Math.min(RETRY_AFTER_SECONDS_MAX, Math.max(1, Math.ceil(nextMs / 1000))),
  exceeded,
});

/** Returns the function that says when a subject's next request may come; each refused one gets a later time than the one before. */
export function createTurns(perMs: number) {
  const promised = new Map<string, number>();

  return (subject: string, tokens: number, exceeded: boolean, now: number): number => {
    const nextMs = Math.max(0, (1 - tokens) / perMs);
    if (!exceeded) return nextMs;
    const afterOthers = Math.max(nextMs, (promised.get(subject) ?? now) - now + 1 / perMs);
    const turnMs = Math.min(RETRY_AFTER_SECONDS_MAX * 1000, afterOthers);
    promised.delete(subject);
    if (promised.size >= TRACKED) promised.delete(promised.keys().next().value!);
    promised.set(subject, now + turnMs);
    return turnMs;
  };
}
