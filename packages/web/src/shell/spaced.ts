/**
 * Returns a function that calls `work` at once, but at most once in `spaceMs`. Calls in between are combined into one call at the end of
 * that time. `stop` cancels a waiting call.
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
