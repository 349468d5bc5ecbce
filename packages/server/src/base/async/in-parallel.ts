/**
 * Runs `work` on each item, at most `atOnce` at a time. After an error it starts no further item, waits for the started ones and throws
 * the first error.
 */
export async function inParallel<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const waiting = items.values();
  const faults: unknown[] = [];
  const lane = async () => {
    for (const item of waiting) {
      if (faults.length > 0) return;
      try {
        await work(item);
      } catch (error) {
        faults.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  if (faults.length > 0) throw faults[0];
}
