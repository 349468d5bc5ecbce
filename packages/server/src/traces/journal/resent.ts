import { createHash } from "node:crypto";

const KEPT_MS = 15 * 60 * 1000;
const KEPT_MAX = 100_000;

type Resent<Outcome> = {
  find: (key: string) => Promise<Outcome> | undefined;
  /** Remembers the outcome to come; one that is refused is forgotten, so that a resend is taken. */
  keep: (key: string, outcome: Promise<Outcome>) => void;
};

/** What was answered to the bodies of the last 15 minutes, by `bodyKey`. */
export function rememberOutcomes<Outcome>(nowMs: () => number = Date.now): Resent<Outcome> {
  const kept = new Map<string, { outcome: Promise<Outcome>; atMs: number }>(); // oldest first

  function find(key: string) {
    const found = kept.get(key);
    return found !== undefined && nowMs() - found.atMs < KEPT_MS ? found.outcome : undefined;
  }

  function keep(key: string, outcome: Promise<Outcome>): void {
    const entry = { outcome, atMs: nowMs() };
    kept.delete(key);
    kept.set(key, entry);
    outcome.catch(() => {
      if (kept.get(key) === entry) kept.delete(key);
    });
    for (const [oldest, { atMs }] of kept) {
      if (kept.size <= KEPT_MAX && entry.atMs - atMs < KEPT_MS) break;
      kept.delete(oldest);
    }
  }

  return { find, keep };
}

/** 128 bits of SHA-256 over everything that decides what a body means. */
export function bodyKey(body: { project: number; encoding: string; gzip: boolean; chunks: readonly Buffer[] }): string {
  const hash = createHash("sha256").update(`${body.project} ${body.encoding} ${body.gzip}\n`);
  for (const chunk of body.chunks) hash.update(chunk);
  return hash.digest().toString("latin1", 0, 16);
}
