/** Polls until the probe returns a value other than `undefined`, `null` and `false`, and returns it; on timeout, throws the last error or the name. */
export async function until<T>(
  name: string | (() => string),
  probe: () => T | Promise<T>,
  timeoutMs = 90_000,
): Promise<NonNullable<Exclude<T, false>>> {
  const deadline = Date.now() + timeoutMs;
  let last: unknown;
  while (Date.now() < deadline) {
    try {
      const value = await probe();
      if (value !== undefined && value !== null && value !== false) return value as NonNullable<Exclude<T, false>>;
    } catch (error) {
      last = error;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`still waiting for: ${typeof name === "string" ? name : name()}`, { cause: last });
}
