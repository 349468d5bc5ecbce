import { AppError } from "../base/errors.ts";

export const RATE_WINDOW_MS = 60_000;
/** Beyond this number the oldest window is dropped, so that invented addresses cannot fill the memory. */
const TRACKED = 100_000;

export type RateWindow = { limit: number; remaining: number; resetSeconds: number; exceeded: boolean };
/** The limit of the requests that this process gets. */
export type RateLimit = {
  /** Counts a request of the subject and returns its window. Refused requests count too. */
  count: (subject: string, now?: number) => RateWindow;
};

/** The limit of the requests that all processes get. */
export type SharedRateLimit = { count: (subject: string) => RateWindow | Promise<RateWindow> };

/** Counts requests in fixed windows of one minute by default, by a monotonic clock; a subject's first request begins its window. */
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
    // The sum of two clock readings rounds, so that a whole window can come out a little longer.
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
