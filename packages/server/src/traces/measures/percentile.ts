/** So many values must be there. */
export const fewestFor = (p: number): number => Math.max(5, 100 / (100 - p));

/**
 * Nearest rank over raw values, pooled from as many conversations as are asked about: the smallest value that at least
 * p percent of them do not exceed. Null below 5 values, and where not even one value would lie beyond: below 20 for
 * p95, below 100 for p99. Percentiles are never averaged.
 */
export function percentile(values: readonly number[], p: number): number | null {
  if (values.length < fewestFor(p)) return null;
  const rank = Math.max(1, Math.ceil((values.length * p) / 100));
  return Float64Array.from(values).sort()[rank - 1]!;
}
