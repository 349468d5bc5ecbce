import type { RateLimit } from "./rate-limit.ts";

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
  const buckets = new Map<string, { tokens: number; at: number; promisedAt: number }>();

  return {
    count(subject, now = performance.now()) {
      const bucket = buckets.get(subject) ?? { tokens: limitPerMinute, at: now, promisedAt: now };
      buckets.delete(subject);
      if (buckets.size >= TRACKED) buckets.delete(buckets.keys().next().value!);
      buckets.set(subject, bucket);
      bucket.tokens = Math.min(limitPerMinute, bucket.tokens + (now - bucket.at) * perMs);
      bucket.at = now;
      const exceeded = bucket.tokens < 1;
      if (!exceeded) bucket.tokens--;
      let nextMs = Math.max(0, (1 - bucket.tokens) / perMs);
      if (exceeded) {
        nextMs = Math.min(RETRY_AFTER_SECONDS_MAX * 1000, Math.max(nextMs, bucket.promisedAt - now + 1 / perMs));
        bucket.promisedAt = now + nextMs;
      }
      return {
        limit: limitPerMinute,
        remaining: Math.floor(bucket.tokens),
        resetSeconds: Math.min(RETRY_AFTER_SECONDS_MAX, Math.max(1, Math.ceil(nextMs / 1000))),
        exceeded,
      };
    },
  };
}
