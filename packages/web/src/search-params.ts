// Parsers of search parameters. Each returns undefined for a value that the page does not know, so that every link opens a page.

// Links inside the pages can contain numbers and booleans. The parsers convert these values to texts.

export const textOf = (value: unknown): string | undefined => {
  const text = typeof value === "number" || typeof value === "boolean" ? String(value) : value;
  return typeof text === "string" && text !== "" ? text : undefined;
};

export const oneOf = <T extends string>(values: readonly T[], value: unknown): T | undefined =>
  values.find((allowed) => allowed === textOf(value));

export const countOf = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0
    ? value
    : typeof value === "string" && /^\d{1,15}$/.test(value)
      ? Number(value)
      : undefined;

/** Gives search parameters an optional type, so that a link may leave them out. */
export const optional = <T extends object>(params: T): Partial<T> => params;

/** Largest number of conversations in the address of a page that makes tests of them. */
export const TESTS_MAX = 20;

/** Search parameters of the page that makes a test of each conversation. The drafts mark personal data and expect what failed. */
export const testsOf = (traceIds: readonly string[]) => ({
  conversation: traceIds[0],
  failing: true as const,
  following: traceIds.length > 1 ? traceIds.slice(1).join(",") : undefined,
});
