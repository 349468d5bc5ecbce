const BARS = "▁▂▃▄▅▆▇█";

/** Draws a bar for each value, scaled between the smallest and the greatest value; null becomes a space. */
export function sparkline(values: readonly (number | null)[]): string {
  const numbers = values.filter((value) => value !== null);
  const [least, greatest] = [Math.min(...numbers), Math.max(...numbers)];
  const barOf = (value: number) => {
    const share = greatest === least ? 0.5 : (value - least) / (greatest - least);
    return BARS[Math.min(BARS.length - 1, Math.floor(share * BARS.length))]!;
  };
  return values.map((value) => (value === null ? " " : barOf(value))).join("");
}

/** Reduces the values to at most `columns`: each is the mean of its range, or null when the range has no value. */
export function downsample(values: readonly (number | null)[], columns: number): (number | null)[] {
  if (values.length <= columns) return [...values];
  return Array.from({ length: columns }, (_, column) => {
    const from = Math.floor((column * values.length) / columns);
    const to = Math.floor(((column + 1) * values.length) / columns);
    const numbers = values.slice(from, to).filter((value) => value !== null);
    return numbers.length === 0 ? null : numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
  });
}
