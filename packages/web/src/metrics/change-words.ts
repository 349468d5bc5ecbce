/** Value in the period before, or why it is unknown there. */
export type Earlier = number | "none" | "too few";

/** Returns the value of the period before. Without samples there is none; a percentile needs enough of them. */
export const earlierOf = <T>(period: T | undefined, valueOf: (period: T) => number | null): Earlier =>
  period === undefined ? "none" : (valueOf(period) ?? "too few");

/** Returns the difference from the period before, with its sign. A value that is unknown there is never taken as 0. */
export function changeWords(
  now: number | null | undefined,
  before: Earlier | undefined,
  format: (value: number) => string,
): string {
  if (now === null || now === undefined || before === undefined) return "";
  if (typeof before !== "number") return `${before} before`;
  const size = format(Math.abs(now - before));
  if (size === format(0)) return "same";
  return `${now > before ? "+" : "−"}${size}`;
}
