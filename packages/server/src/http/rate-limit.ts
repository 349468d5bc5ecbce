import { AppError } from "../errors.ts";

const WINDOW_MS = 60_000;
/** Past this many the one whose window ends first is forgotten, so that made-up addresses fill no memory. */
const TRACKED = 100_000;

type RateWindow = { limit: number; remaining: number; resetSeconds: number; exceeded: boolean };
export type RateLimit = ReturnType<typeof createRateLimit>;

/** Fixed windows of a minute by a clock that nobody sets, each begun by its subject's first request; refused requests count too. */
export function createRateLimit(limit: number) {
  const windows = new Map<string, { endsAt: number; count: number }>();

  function windowOf(subject: string, now: number) {
    const current = windows.get(subject);
    if (current && now < current.endsAt) return current;
    windows.delete(subject);
    if (windows.size >= TRACKED) windows.delete(windows.keys().next().value!);
    const fresh = { endsAt: now + WINDOW_MS, count: 0 };
    windows.set(subject, fresh);
    return fresh;
  }

  const describe = (window: { endsAt: number; count: number }, now: number): RateWindow => ({
    limit,
    remaining: Math.max(0, limit - window.count),
    resetSeconds: Math.max(1, Math.ceil((window.endsAt - now) / 1000)),
    exceeded: window.count > limit,
  });

  return {
    count(subject: string, now = performance.now()): RateWindow {
      const window = windowOf(subject, now);
      window.count++;
      return describe(window, now);
    },
  };
}

export const tooManyRequests = (window: RateWindow, message: string) =>
  new AppError("too_many_requests", message, undefined, { retryAfterSeconds: window.resetSeconds });
