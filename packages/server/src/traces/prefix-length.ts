/** Returns how many of the first items satisfy `holds`. No item after them may satisfy `holds`. */
export function prefixLength<Item>(sorted: readonly Item[], holds: (item: Item) => boolean): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(sorted[middle]!)) low = middle + 1;
    else high = middle;
  }
  return low;
}
