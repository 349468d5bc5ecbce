export type RecentCache<T> = {
  /** Returns the value of a key and marks it as the most recently used. */
  get: (key: string) => T | undefined;
  /** Stores a value; a full cache first drops the value that was used longest ago. */
  set: (key: string, value: T) => void;
  delete: (key: string) => void;
};

/** Creates a cache of at most `capacity` values that drops the least recently used one. */
export function createRecentCache<T>(capacity: number): RecentCache<T> {
  const values = new Map<string, T>();
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
      values.delete(key);
      if (values.size >= capacity) values.delete(values.keys().next().value!);
      values.set(key, value);
    },
    delete: (key) => void values.delete(key),
  };
}
