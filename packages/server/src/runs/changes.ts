/** Wakes waiting readers when the object with an id changes, for example a run or a simulation. */
export type Changes = {
  changed: (id: string) => void;
  anyChanged: () => void;
  /**
   * Resolves with true at the next change, and with false after `waitMs`, or when `signal` aborts or `end` is called. Never rejects.
   */
  next: (id: string, waitMs: number, signal: AbortSignal) => Promise<boolean>;
  /** Wakes all readers; later calls of `next` resolve at once. */
  end: () => void;
};

export function createChanges(): Changes {
  const waiting = new Map<string, Set<(isChange: boolean) => void>>();
  let ended = false;
  const changed = (id: string) => {
    for (const wake of waiting.get(id) ?? []) wake(true);
  };
  return {
    changed,
    anyChanged() {
      for (const id of waiting.keys()) changed(id);
    },
    next: (id, waitMs, signal) =>
      new Promise((resolve) => {
        const waiters = waiting.get(id) ?? new Set();
        waiting.set(id, waiters);
        const wake = (isChange: boolean) => {
          clearTimeout(timer);
          signal.removeEventListener("abort", giveUp);
          waiters.delete(wake);
          if (waiters.size === 0) waiting.delete(id);
          resolve(isChange);
        };
        const giveUp = () => wake(false);
        const timer = setTimeout(giveUp, waitMs);
        waiters.add(wake);
        signal.addEventListener("abort", giveUp, { once: true });
        if (signal.aborted || ended) giveUp();
      }),
    end() {
      ended = true;
      for (const waiters of waiting.values()) for (const wake of waiters) wake(false);
    },
  };
}
