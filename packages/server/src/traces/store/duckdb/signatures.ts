import { maskOf, SIGNATURE_WORDS } from "../../search-signature.ts";
import { type DatabaseConnection, integer, rowsOf } from "./database.ts";
import { AS_READ } from "./summaries.ts";

export const SIGNATURE_COLUMNS = Array.from({ length: SIGNATURE_WORDS }, (_, word) => `bits_${word}`);

/** With more candidates, the texts of all conversations are read faster than those of each candidate. */
const CANDIDATES_MAX = 40;

/**
 * Returns the query for the conversations whose signature allows them to contain the text; undefined when there are many, or when
 * the text has no bits.
 */
export async function candidatesFor(read: DatabaseConnection, project: number, search: string) {
  const mask = [...maskOf(search)];
  if (mask.length === 0) return undefined;
  const hasBits = mask.map(([word, bits]) => `(${SIGNATURE_COLUMNS[word]} & ${bits}::UBIGINT) = ${bits}::UBIGINT`);
  const candidates = await rowsOf<{ reading: bigint }>(
    read,
    `SELECT reading FROM signatures WHERE project = ${integer(project)} AND ${hasBits.join(" AND ")} LIMIT ${CANDIDATES_MAX + 1}`,
  );
  if (candidates.length > CANDIDATES_MAX) return undefined;
  // DuckDB skips the texts of other rows only for a comparison with one constant.
  const each = candidates.map(({ reading }) => `${AS_READ} WHERE reading = ${reading}`);
  return `SELECT * FROM (${each.join(" UNION ALL ") || `${AS_READ} WHERE false`})`;
}
