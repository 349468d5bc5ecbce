// Parsers of search parameters: each returns undefined for a value that the page does not know, so that every link opens.

/** Returns a search parameter that is a text with characters. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

/** Returns a search parameter that is one of the values. */
export const oneOf = <T extends string>(values: readonly T[], value: unknown): T | undefined =>
  values.find((allowed) => allowed === value);

/** Returns a search parameter that is a whole number, 0 or more. */
export const countOf = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0
    ? value
    : typeof value === "string" && /^\d{1,15}$/.test(value)
      ? Number(value)
      : undefined;

/** Returns the same search parameters as optional ones, so that a link may leave them out. */
export const optional = <T extends object>(params: T): Partial<T> => params;
