import { sql } from "kysely";

/** What a search compares: texts in one form and one case, by the rules of Unicode, which the engine does not know. */
export const searchText = (...texts: (string | null)[]): string =>
  texts
    .filter((text) => text !== null)
    .join("\n")
    .normalize("NFKC")
    .toLowerCase();

/** Whether a row's `search_text` holds what is searched for. */
export const holdsText = (search: string) => sql<boolean>`instr(search_text, ${searchText(search)}) > 0`;
