import { AppError } from "../errors.ts";

/** Wrong passwords that cost no wait. */
const FREE = 5;
const LONGEST_WAIT_MS = 15 * 60_000;
export const FORGOTTEN_AFTER_MS = 60 * 60_000;
/** Beyond this number the oldest subject is dropped, so that invented addresses cannot fill the memory. */
const TRACKED = 100_000;

/**
 * Slows guesses at a password. A subject is an account together with the network of the client, so that a stranger who
 * guesses elsewhere never locks out the account's owner.
 */
export type Attempts = {
  /** Counts an attempt; refuses one that comes before the wait of the subject's earlier attempts is over. */
  begin: (subject: string) => void | Promise<void>;
  /** Forgets the subject's attempts after a right password. */
  succeed: (subject: string) => void | Promise<void>;
};

/** Attempts of a process alone; `now` is on a monotonic clock. */
type LocalAttempts = { begin: (subject: string, now?: number) => void; succeed: (subject: string) => void };

/** Creates the attempts. The wait after the sixth wrong password is one second; it doubles up to 15 minutes. */
export function createAttempts(): LocalAttempts {
  const subjects = new Map<string, { count: number; nextAt: number }>();

  return {
    begin(subject, now = performance.now()) {
      const earlier = subjects.get(subject);
      if (earlier && now < earlier.nextAt) throw tooManyPasswords(earlier.nextAt - now);
      const isForgotten = earlier !== undefined && now - earlier.nextAt > FORGOTTEN_AFTER_MS;
      const count = isForgotten || !earlier ? 1 : earlier.count + 1;
      subjects.delete(subject);
      if (subjects.size >= TRACKED) subjects.delete(subjects.keys().next().value!);
      subjects.set(subject, { count, nextAt: now + waitMs(count) });
    },
    succeed(subject) {
      subjects.delete(subject);
    },
  };
}

/** Returns the wait after a number of wrong passwords. */
export const waitMs = (count: number): number =>
  count <= FREE ? 0 : Math.min(LONGEST_WAIT_MS, 1000 * 2 ** (count - FREE - 1));

export function tooManyPasswords(leftMs: number): AppError {
  const retryAfterSeconds = Math.ceil(leftMs / 1000);
  return new AppError(
    "too_many_requests",
    `Too many wrong passwords for this account from this network. Wait ${retryAfterSeconds} s.`,
    undefined,
    { retryAfterSeconds },
  );
}
