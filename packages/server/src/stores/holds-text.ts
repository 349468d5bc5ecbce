import { sql } from "kysely";
import { searchText } from "./search-text.ts";

/** Returns the condition that a row's `search_text` contains the search. */
export const holdsText = (search: string) => sql<boolean>`instr(search_text, ${searchText(search)}) > 0`;
