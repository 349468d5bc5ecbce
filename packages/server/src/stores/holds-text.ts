import { sql } from "kysely";
import { searchText } from "./search-text.ts";

/** Whether a row's `search_text` holds what is searched for. */
export const holdsText = (search: string) => sql<boolean>`instr(search_text, ${searchText(search)}) > 0`;
