/** Returns how many values a percentile needs: at least 5, and enough that one value lies beyond it (20 for p95). */
export const minimumSampleCount = (p: number): number => Math.max(5, 100 / (100 - p));

/**
 * Returns the percentile by nearest rank: the smallest value V for which at least p percent of the values are at most
 * V. To combine several conversations, pass all their raw values. An average of percentiles would be wrong.
 */
export function percentile(values: readonly number[], p: number): number | null {
  if (values.length < minimumSampleCount(p)) return null;
  const rank = Math.max(1, Math.ceil((values.length * p) / 100));
  return Float64Array.from(values).sort()[rank - 1]!;
}
