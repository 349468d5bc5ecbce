/** Wakes waiting readers when the object with an id changes, for example a run or a simulation. */
export type Changes = {
  changed: (id: string) => void;
  anyChanged: () => void;
  /** Resolves at the next change, after `waitMs`, or when `signal` aborts or `end` is called. Never rejects. */
  next: (id: string, waitMs: number, signal: AbortSignal) => Promise<void>;
  /** Wakes all readers; later calls of `next` resolve at once. */
  end: () => void;
};

export function createChanges(): Changes {
  const waiting = new Map<string, Set<() => void>>();
  let ended = false;
  const wakeAll = (waiters: Iterable<() => void> = []) => {
    for (const wake of waiters) wake();
  };
  const anyChanged = () => {
    for (const waiters of waiting.values()) wakeAll(waiters);
  };
  return {
    changed: (id) => wakeAll(waiting.get(id)),
    anyChanged,
    next: (id, waitMs, signal) =>
      new Promise((resolve) => {
        const waiters = waiting.get(id) ?? new Set();
        waiting.set(id, waiters);
        const wake = () => {
          clearTimeout(timer);
          signal.removeEventListener("abort", wake);
          waiters.delete(wake);
          if (waiters.size === 0) waiting.delete(id);
          resolve();
        };
        const timer = setTimeout(wake, waitMs);
        waiters.add(wake);
        signal.addEventListener("abort", wake, { once: true });
        if (signal.aborted || ended) wake();
      }),
    end() {
      ended = true;
      anyChanged();
    },
  };
}
