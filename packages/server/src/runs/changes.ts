/** Wakes those who wait for a run to change. */
export type Changes = {
  changed: (runId: string) => void;
  /** Resolves at the next change, after `waitMs`, or when `signal` ends the wait; never rejects. */
  next: (runId: string, waitMs: number, signal: AbortSignal) => Promise<void>;
};

export function openChanges(): Changes {
  const waiting = new Map<string, Set<() => void>>();
  return {
    changed(runId) {
      for (const wake of waiting.get(runId) ?? []) wake();
    },
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
        if (signal.aborted) wake();
      }),
  };
}
