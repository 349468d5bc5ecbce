type RecentCache<T> = {
  /** Returns the value of a key and marks it as the most recently used. */
  get: (key: string) => T | undefined;
  set: (key: string, value: T) => void;
  delete: (key: string) => void;
};

/**
 * Creates a cache that drops the least recently used values, so that the sum of all weights is at most `capacity`. Without `weightOf`,
 * each value has the weight 1. Does not store a value whose weight exceeds the capacity.
 */
export function createRecentCache<T>(capacity: number, weightOf: (value: T) => number = () => 1): RecentCache<T> {
  const values = new Map<string, T>();
  let weight = 0;

  function remove(key: string): void {
    const value = values.get(key);
    if (value === undefined) return;
    values.delete(key);
    weight -= weightOf(value);
  }

  return {
    get(key) {
      const value = values.get(key);
      if (value !== undefined) {
        values.delete(key);
        values.set(key, value);
      }
      return value;
    },
    set(key, value) {
      remove(key);
      const added = weightOf(value);
      if (added > capacity) return;
      while (weight + added > capacity) remove(values.keys().next().value!);
      values.set(key, value);
      weight += added;
    },
    delete: remove,
  };
}
