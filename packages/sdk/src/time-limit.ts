/** The time limit of one call, joined with the caller's signal. */
export type TimeLimit = {
  /** Aborts when the time is over, and when the caller's signal aborts. */
  signal: AbortSignal;
  /** Returns the milliseconds that are left. */
  leftMs(): number;
  /** Ends the time limit; the caller's signal still aborts `signal`. */
  endTimer(): void;
  /** Ends the time limit, and stops listening to the caller's signal. */
  end(): void;
};

const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Starts a time limit. It uses no `AbortSignal.any`, which older runtimes lack. */
export function startTimeLimit(timeoutMs: number, signal: AbortSignal | undefined): TimeLimit {
  const endsAt = performance.now() + timeoutMs;
  const abort = new AbortController();
  const onAbort = () => abort.abort(signal!.reason);
  const timer = setTimeout(
    () => abort.abort(new DOMException("The time limit of the call is over.", "TimeoutError")),
    Math.min(timeoutMs, LONGEST_TIMER_MS),
  );
  if (signal?.aborted) onAbort();
  else signal?.addEventListener("abort", onAbort, { once: true });
  return {
    signal: abort.signal,
    leftMs: () => endsAt - performance.now(),
    endTimer: () => clearTimeout(timer),
    end() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    },
  };
}
