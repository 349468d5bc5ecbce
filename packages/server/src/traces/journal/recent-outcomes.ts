import { createHash } from "node:crypto";

const MEMORY_MS = 15 * 60 * 1000;
const OUTCOMES_MAX = 100_000;

type RecentOutcomes<Outcome> = {
  /** Returns the outcome of the body with this key if it was added in the last 15 minutes. */
  find: (key: string) => Promise<Outcome> | undefined;
  /** An outcome that rejects is removed, so that a body that is sent again is tried again. */
  add: (key: string, outcome: Promise<Outcome>) => void;
  clear: () => void;
};

/** The keys are results of `bodyKey`. */
export function createRecentOutcomes<Outcome>(nowMs: () => number = Date.now): RecentOutcomes<Outcome> {
  const entries = new Map<string, { outcome: Promise<Outcome>; atMs: number }>(); // oldest first

  function find(key: string): Promise<Outcome> | undefined {
    const entry = entries.get(key);
    return entry !== undefined && nowMs() - entry.atMs < MEMORY_MS ? entry.outcome : undefined;
  }

  function add(key: string, outcome: Promise<Outcome>): void {
    const entry = { outcome, atMs: nowMs() };
    entries.delete(key);
    entries.set(key, entry);
    outcome.catch(() => {
      if (entries.get(key) === entry) entries.delete(key);
    });
    for (const [oldest, { atMs }] of entries) {
      if (entries.size <= OUTCOMES_MAX && entry.atMs - atMs < MEMORY_MS) break;
      entries.delete(oldest);
    }
  }

  return { find, add, clear: () => entries.clear() };
}

/** Returns the key of a body: 128 bits of SHA-256 over the body and everything else that determines its meaning. */
export function bodyKey(body: {
  project: number;
  encoding: string;
  compression: string;
  chunks: readonly Buffer[];
}): string {
  const hash = createHash("sha256").update(`${body.project} ${body.encoding} ${body.compression}\n`);
  for (const chunk of body.chunks) hash.update(chunk);
  return hash.digest().toString("latin1", 0, 16);
}
