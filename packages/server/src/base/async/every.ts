export type RepeatedWork = {
  /** Runs the work now; when a run is under way, another one follows it. */
  now: () => void;
  /** Resolves when no run is under way. */
  idle: () => Promise<void>;
};

/**
 * Runs `work` now and then every `ms` milliseconds until `signal` aborts, one run at a time. Passes what a run throws to
 * `failed` and goes on. The timer does not keep the process alive.
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
