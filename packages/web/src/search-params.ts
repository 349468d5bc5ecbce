// Parsers of search parameters: each returns undefined for a value that the page does not know, so that every link opens.

// The router reads `7` as a number and `true` as a boolean; their texts are the same again.

/** Returns a search parameter that is a text with characters. */
export const textOf = (value: unknown): string | undefined => {
  const text = typeof value === "number" || typeof value === "boolean" ? String(value) : value;
  return typeof text === "string" && text !== "" ? text : undefined;
};

/** Returns a search parameter that is one of the values. */
export const oneOf = <T extends string>(values: readonly T[], value: unknown): T | undefined =>
  values.find((allowed) => allowed === textOf(value));

/** Returns a search parameter that is a whole number, 0 or more. */
export const countOf = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0
    ? value
    : typeof value === "string" && /^\d{1,15}$/.test(value)
      ? Number(value)
      : undefined;

/** Returns the same search parameters as optional ones, so that a link may leave them out. */
export const optional = <T extends object>(params: T): Partial<T> => params;
