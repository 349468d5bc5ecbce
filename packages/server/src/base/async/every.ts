export type RepeatedWork = {
  /** Starts a run now. If a run is in progress, starts another run after it. */
  now: () => void;
  /** Resolves when no run is in progress. */
  idle: () => Promise<void>;
};

/**
 * Runs `work` immediately and then every `ms` milliseconds until `signal` aborts, one run at a time. When a run throws, passes the error
 * to `failed` and continues with the next run. The timer does not keep the process alive.
 */
export function every(
  ms: number,
  work: () => Promise<void> | void,
  signal: AbortSignal,
  failed: (error: unknown) => void,
): RepeatedWork {
  let running: Promise<void> | undefined;
  let isWanted = false;

  async function run(): Promise<void> {
    do {
      isWanted = false;
      try {
        await work();
      } catch (error) {
        failed(error);
      }
    } while (isWanted && !signal.aborted);
    running = undefined;
  }

  function tick(): void {
    if (!signal.aborted) running ??= run();
  }

  const timer = setInterval(tick, ms).unref();
  signal.addEventListener("abort", () => clearInterval(timer), { once: true });
  tick();
  return {
    now(): void {
      isWanted = true;
      tick();
    },
    async idle(): Promise<void> {
      await running;
    },
  };
}
