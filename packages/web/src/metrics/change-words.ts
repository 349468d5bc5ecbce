/** Returns the difference from the period before, with its sign. A value that is unknown on either side is said, and never 0. */
export function changeWords(
  now: number | null | undefined,
  before: number | null | undefined,
  format: (value: number) => string,
): string {
  if (now === null || now === undefined) return "";
  if (before === null || before === undefined) return "none before";
  const size = format(Math.abs(now - before));
  if (size === format(0)) return "same";
  return `${now > before ? "+" : "−"}${size}`;
}
