const FIRST_PAUSE_MS = 10;
/** Probes are often requests. Many waits with short pauses would take the processor time that the awaited work needs. */
const LONGEST_PAUSE_MS = 100;

/**
 * Polls until the probe returns a value other than `undefined`, `null` and `false`, and returns the value. On timeout, throws an
 * error with the name, whose cause is the last error of the probe.
 */
export async function until<T>(
  name: string | (() => string),
  probe: () => T | Promise<T>,
  timeoutMs = 90_000,
): Promise<NonNullable<Exclude<T, false>>> {
  const deadline = Date.now() + timeoutMs;
  let last: unknown;
  let pauseMs = FIRST_PAUSE_MS;
  while (Date.now() < deadline) {
    try {
      const value = await probe();
      if (value !== undefined && value !== null && value !== false) return value as NonNullable<Exclude<T, false>>;
    } catch (error) {
      last = error;
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    pauseMs = Math.min(pauseMs * 1.25, LONGEST_PAUSE_MS);
  }
  throw new Error(`still waiting for: ${typeof name === "string" ? name : name()}`, { cause: last });
}
