/** Counters since the start of this process, by name. */
export type Counts<Name extends string> = {
  add: (name: Name, count?: number) => void;
  /** Returns the counters that were increased at least once. */
  all: () => ReadonlyMap<Name, number>;
};

export function createCounts<Name extends string>(): Counts<Name> {
  const counts = new Map<Name, number>();
  return {
    add: (name, count = 1) => void counts.set(name, (counts.get(name) ?? 0) + count),
    all: () => counts,
  };
}
