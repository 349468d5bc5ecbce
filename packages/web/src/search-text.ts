/** Returns a search parameter that is a text with characters; undefined for anything else. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;
