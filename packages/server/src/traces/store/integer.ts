/** A number that may stand in SQL. */
export function integer(value: number): number {
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`Not a whole number: ${value}`);
  return value;
}
