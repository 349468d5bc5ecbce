/** What a search compares: texts in one form and one case, by the rules of Unicode, which the engine does not know. */
export const searchText = (...texts: (string | null)[]): string =>
  texts
    .filter((text) => text !== null)
    .join("\n")
    .normalize("NFKC")
    .toLowerCase();
