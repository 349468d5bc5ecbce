/** Wakes those who wait for a run to change. */
export type Changes = {
  changed: (runId: string) => void;
  /** Resolves at the next change, after `waitMs`, or when `signal` or `end` ends the wait; never rejects. */
  next: (runId: string, waitMs: number, signal: AbortSignal) => Promise<void>;
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
    changed: (runId) => wakeAll(waiting.get(runId)),
    next: (runId, waitMs, signal) =>
      new Promise((resolve) => {
        const waiters = waiting.get(runId) ?? new Set();
        waiting.set(runId, waiters);
        const wake = () => {
          clearTimeout(timer);
          signal.removeEventListener("abort", wake);
          waiters.delete(wake);
          if (waiters.size === 0) waiting.delete(runId);
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
