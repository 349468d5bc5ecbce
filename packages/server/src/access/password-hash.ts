import { availableParallelism } from "node:os";
import { AppError } from "../base/errors.ts";

/** A hash of passwords. The one of the sign-in library is slow by design. */
export type PasswordHash = {
  hash: (password: string) => Promise<string>;
  verify: (stored: { hash: string; password: string }) => Promise<boolean>;
};

/**
 * A hash takes about 0.1 s of a core, in the same four threads of Node as the writes of the journal. Few at a time leave both to
 * those who send spans.
 */
const AT_ONCE = availableParallelism() < 4 ? 1 : 2;
/** Hashes that wait: those of some seconds. */
const WAITING_MAX = 50;
const RETRY_AFTER_SECONDS = 5;

/** Returns the hash with at most `atOnce` at a time. Refuses another one with 503 while `waitingMax` wait. */
export function queued(
  { hash, verify }: PasswordHash,
  { atOnce = AT_ONCE, waitingMax = WAITING_MAX }: { atOnce?: number; waitingMax?: number } = {},
): PasswordHash {
  const waiting: (() => void)[] = [];
  let running = 0;

  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (running >= atOnce) {
      if (waiting.length >= waitingMax) throw tooManySignIns();
      await new Promise<void>((resolve) => void waiting.push(resolve));
    } else running++;
    try {
      return await work();
    } finally {
      // The next one takes this place.
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  }

  return {
    hash: (password) => inTurn(() => hash(password)),
    verify: (stored) => inTurn(() => verify(stored)),
  };
}

const tooManySignIns = () =>
  new AppError("unavailable", "Too many people sign in at this moment. Try again in a few seconds.", undefined, {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
