/** Joins texts for a search, in a form that ignores case by the Unicode rules, which the database engine does not implement. */
export const searchText = (...texts: (string | null)[]): string =>
  texts
    .filter((text) => text !== null)
    .join("\n")
    .normalize("NFKC")
    .toLowerCase();
