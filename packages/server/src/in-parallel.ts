/** Works through the items, so many at once. After the first that throws none is begun; it is thrown when all have ended. */
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
