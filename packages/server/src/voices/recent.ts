/** Remembers so many at most; the one that was used longest ago goes first. */
export function openRecent<T>(most: number) {
  const kept = new Map<string, T>();
  return {
    get(key: string): T | undefined {
      const value = kept.get(key);
      if (value !== undefined) {
        kept.delete(key);
        kept.set(key, value);
      }
      return value;
    },
    set(key: string, value: T): void {
      kept.delete(key);
      if (kept.size >= most) kept.delete(kept.keys().next().value!);
      kept.set(key, value);
    },
    delete: (key: string) => void kept.delete(key),
  };
}
