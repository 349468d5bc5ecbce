/** Returns the texts in one normal form and one case, by Unicode's rules, which the engine does not implement. */
export const searchText = (...texts: (string | null)[]): string =>
  texts
    .filter((text) => text !== null)
    .join("\n")
    .normalize("NFKC")
    .toLowerCase();
