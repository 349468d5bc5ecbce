/**
 * Returns a function that runs `work` at its first call, and later calls together: at most once in `spaceMs`, the last time after
 * the last call. `stop` forgets a run that waits.
 */
export function spaced(work: () => void, spaceMs: number): { run(): void; stop(): void } {
  let readyAtMs = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const run = () => {
    if (timer !== undefined) return;
    const waitMs = readyAtMs - Date.now();
    if (waitMs > 0) {
      timer = setTimeout(() => {
        timer = undefined;
        run();
      }, waitMs);
      return;
    }
    readyAtMs = Date.now() + spaceMs;
    work();
  };
  return {
    run,
    stop() {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
