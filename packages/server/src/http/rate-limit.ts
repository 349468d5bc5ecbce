import { AppError } from "../base/errors.ts";

export const RATE_WINDOW_MS = 60_000;
/**
 * Largest number of tracked subjects. Above it, the oldest window or bucket is dropped, so that made-up addresses cannot fill the memory.
 */
const TRACKED = 100_000;
const RETRY_AFTER_SECONDS_MAX = 5;

export type RateWindow = { limit: number; remaining: number; resetSeconds: number; exceeded: boolean };
export type RateLimit = {
  count: (subject: string, now?: number) => RateWindow;
};

/** Rate limit of the requests to all processes together. */
export type SharedRateLimit = { count: (subject: string) => RateWindow | Promise<RateWindow> };

/** Creates a limit with a fixed window for each subject, whose first request starts the window. Rejected requests count too. */
export function createRateLimit(limit: number, windowMs = RATE_WINDOW_MS): RateLimit {
  const windows = new Map<string, { endsAt: number; count: number }>();

  function windowOf(subject: string, now: number) {
    const current = windows.get(subject);
    if (current && now < current.endsAt) return current;
    windows.delete(subject);
    if (windows.size >= TRACKED) windows.delete(windows.keys().next().value!);
    const fresh = { endsAt: now + windowMs, count: 0 };
    windows.set(subject, fresh);
    return fresh;
  }

  const describe = (window: { endsAt: number; count: number }, now: number): RateWindow => ({
    limit,
    remaining: Math.max(0, limit - window.count),
    // Rounding errors of the clock values can make a whole window slightly too long.
    resetSeconds: Math.min(windowMs / 1000, Math.max(1, Math.ceil((window.endsAt - now) / 1000))),
    exceeded: window.count > limit,
  });

  return {
    count(subject, now = performance.now()) {
      const window = windowOf(subject, now);
      window.count++;
      return describe(window, now);
    },
  };
}

export const tooManyRequests = (window: RateWindow, message: string) =>
  new AppError("too_many_requests", message, undefined, { retryAfterSeconds: window.resetSeconds });

/**
 * Creates a limit with a token bucket for each subject. A bucket contains at most a minute's requests and is refilled continuously, so that
 * a rejected client may retry after a few seconds. Rejected requests use no token. Several rejected requests get increasing retry times,
 * because the standard exporters give up after five attempts.
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

/**
 * Returns the function that computes after how many milliseconds a subject may send its next request. Each rejected request gets a later
 * time than the one before.
 */
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
