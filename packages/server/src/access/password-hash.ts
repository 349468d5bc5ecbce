import { availableParallelism } from "node:os";
import { AppError } from "../base/errors.ts";

/** Functions that hash and verify passwords. Each call is slow on purpose. */
export type PasswordHash = {
  hash: (password: string) => Promise<string>;
  verify: (stored: { hash: string; password: string }) => Promise<boolean>;
  close?: () => Promise<void>;
};

/** Number of simultaneous hashes. A hash uses half of a core for about 0.3 s, so a low number leaves cores for senders of spans. */
export const HASHES_AT_ONCE = availableParallelism() < 4 ? 1 : 2;
/** Largest number of waiting hashes. The service computes that many in about ten seconds. */
const WAITING_MAX = 30;
const RETRY_AFTER_SECONDS = 5;

/** Limits the simultaneous hashes to `atOnce`. Throws 503 for a further hash while `waitingMax` hashes wait. */
export function queued(
  { hash, verify }: PasswordHash,
  { atOnce = HASHES_AT_ONCE, waitingMax = WAITING_MAX }: { atOnce?: number; waitingMax?: number } = {},
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
      // A waiting hash starts now, so the number of running hashes stays the same.
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
