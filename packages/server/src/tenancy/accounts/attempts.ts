import { AppError } from "../../base/errors.ts";

/** Wrong passwords that cost no wait. */
const FREE = 5;
const LONGEST_WAIT_MS = 15 * 60_000;
export const FORGOTTEN_AFTER_MS = 60 * 60_000;
/** Wrong passwords for one account within an hour, from all networks, after which unknown networks take turns. */
export const GUESSES_PER_HOUR = 100;
/** The time between two tries from unknown networks then. */
export const STRANGER_WAIT_MS = 30_000;
/** A network stays known for this long after a right password. */
export const KNOWN_FOR_MS = 90 * 24 * 60 * 60_000;

/** A subject's attempts, and the time from which it may make the next one. */
export type CountedAttempts = { count: number; nextMs: number };

/**
 * Counts an attempt; refuses one that comes before the wait of the subject's earlier attempts is over. The wait after the sixth
 * wrong password is one second; it doubles up to 15 minutes. `what` names in the refusal what was wrong.
 */
export function countAttempt(earlier: CountedAttempts | undefined, nowMs: number, what?: string): CountedAttempts {
  if (earlier) refuseWaiting(earlier.nextMs, nowMs, what);
  const isForgotten = !earlier || nowMs - earlier.nextMs > FORGOTTEN_AFTER_MS;
  const count = isForgotten ? 1 : earlier.count + 1;
  return { count, nextMs: nowMs + waitMs(count) };
}

/** Refuses what comes before `nextMs`. */
export function refuseWaiting(
  nextMs: number,
  nowMs: number,
  what = "passwords for this account from this network",
): void {
  if (nowMs < nextMs) throw tooManyAttempts(nextMs - nowMs, what);
}

const waitMs = (count: number): number =>
  count <= FREE ? 0 : Math.min(LONGEST_WAIT_MS, 1000 * 2 ** (count - FREE - 1));

function tooManyAttempts(leftMs: number, what: string): AppError {
  const retryAfterSeconds = Math.ceil(leftMs / 1000);
  return new AppError("too_many_requests", `Too many wrong ${what}. Wait ${retryAfterSeconds} s.`, undefined, {
    retryAfterSeconds,
  });
}

export function tooManyGuesses(leftMs: number): AppError {
  const retryAfterSeconds = Math.ceil(leftMs / 1000);
  return new AppError(
    "too_many_requests",
    `Too many wrong passwords for this account came from many networks. Wait ${retryAfterSeconds} s, sign in from a network that you used before, or reset the password.`,
    undefined,
    { retryAfterSeconds },
  );
}
