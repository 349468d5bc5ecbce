import { AppError } from "../../base/errors.ts";

const FREE = 5;
const LONGEST_WAIT_MS = 15 * 60_000;
export const FORGOTTEN_AFTER_MS = 60 * 60_000;
/**
 * After this number of wrong passwords for one account within an hour, from all networks together, unknown networks have to wait between
 * attempts.
 */
export const GUESSES_PER_HOUR = 100;
/** Time between two attempts from unknown networks at an account that got `GUESSES_PER_HOUR` wrong passwords. */
export const STRANGER_WAIT_MS = 30_000;
/** Time after a right password during which the network of the sign-in counts as known. */
export const KNOWN_FOR_MS = 90 * 24 * 60 * 60_000;
/** Time after which a further right password makes the network known for the whole `KNOWN_FOR_MS` again. */
export const KNOWN_AGAIN_AFTER_MS = 24 * 60 * 60_000;

export type CountedAttempts = { count: number; nextMs: number };

/**
 * Counts an attempt. Throws `too_many_requests` while the subject still has to wait after its earlier attempts. The wait after the sixth
 * attempt is one second. Each further attempt doubles it, up to 15 minutes. `what` names the wrong input in the message.
 */
export function countAttempt(earlier: CountedAttempts | undefined, nowMs: number, what?: string): CountedAttempts {
  if (earlier) refuseWaiting(earlier.nextMs, nowMs, what);
  const isForgotten = !earlier || nowMs - earlier.nextMs > FORGOTTEN_AFTER_MS;
  const count = isForgotten ? 1 : earlier.count + 1;
  return { count, nextMs: nowMs + waitMs(count) };
}

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
