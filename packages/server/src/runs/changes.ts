/** Wakes those who wait for something to change, by its id: a run, or what is carried in a simulation. */
export type Changes = {
  changed: (id: string) => void;
  /** Resolves at the next change, after `waitMs`, or when `signal` or `end` ends the wait; never rejects. */
  next: (id: string, waitMs: number, signal: AbortSignal) => Promise<void>;
  /** The service stops: nobody waits any more. */
  end: () => void;
  hasEnded: () => boolean;
};

export function openChanges(): Changes {
  const waiting = new Map<string, Set<() => void>>();
  let ended = false;
  const wakeAll = (waiters: Iterable<() => void> = []) => {
    for (const wake of waiters) wake();
  };
  return {
    changed: (id) => wakeAll(waiting.get(id)),
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
      for (const waiters of waiting.values()) wakeAll(waiters);
    },
    hasEnded: () => ended,
  };
}
