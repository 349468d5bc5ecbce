/** Returns a generator of pseudo-random numbers in [0, 1). The same seed gives the same numbers (mulberry32 on the seed's FNV-1a hash). */
export function seeded(seed: string): () => number {
  let state = hash32(seed);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Returns the items in a random order. The same seed gives the same order (Fisher–Yates). */
export function shuffled<Item>(items: readonly Item[], seed: string): Item[] {
  const next = seeded(seed);
  const order = [...items];
  for (let i = order.length - 1; i > 0; i--) {
    const j = Math.floor(next() * (i + 1));
    [order[i], order[j]] = [order[j]!, order[i]!];
  }
  return order;
}

/** Returns the 32-bit FNV-1a hash of the text's UTF-16 code units. */
export function hash32(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
