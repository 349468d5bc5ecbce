import { type RawBuilder, sql } from "kysely";
import { LIMITS } from "@svc/contract/constants";
import type { Db } from "../../../stores/relational.ts";
import { searchText } from "../../../stores/search-text.ts";
import { indexDialectOf } from "./dialect.ts";

/** `text` has the words around the match, in the form of `searchText`. */
export type SearchMatch = {
  in: "turns" | "names";
  text: string;
  start: number;
  end: number;
};

const AROUND = LIMITS.matchContextCharacters;

/** A conversation that matches only by its agent's name or its id is not in the result. */
export async function findMatches(
  db: Db,
  project: number,
  keys: readonly string[],
  search: string,
): Promise<Map<string, SearchMatch>> {
  const wanted = searchText(search);
  if (wanted === "" || keys.length === 0) return new Map();
  const { position } = indexDialectOf(db);
  const most = Array.from(wanted).length + 2 * (AROUND + 1);
  // Reads one more character than is shown on both sides, to know whether the text continues there.
  function around(column: string): RawBuilder<string | null> {
    const at = position(column, wanted);
    const from = sql`CASE WHEN ${at} > ${sql.lit(AROUND + 1)} THEN ${at} - ${sql.lit(AROUND + 1)} ELSE 1 END`;
    return sql`CASE WHEN ${at} > 0 THEN substr(${sql.ref(column)}, ${from}, ${sql.lit(most)}) END`;
  }
  const { rows } = await sql<{ key: string; turns: string | null; names: string | null }>`
    SELECT key, ${around("transcript")} AS turns, ${around("names")} AS names
    FROM conversations WHERE project = ${project} AND key IN (${sql.join(keys)})`.execute(db);
  return new Map(
    rows.flatMap(({ key, turns, names }): [string, SearchMatch][] => {
      const match = matchIn("turns", turns, wanted) ?? matchIn("names", names, wanted);
      return match === null ? [] : [[key, match]];
    }),
  );
}

/** The match is cut to its line; null if `part` does not contain the wanted text. */
export function matchIn(place: SearchMatch["in"], part: string | null, wanted: string): SearchMatch | null {
  const at = part?.indexOf(wanted) ?? -1;
  if (part === null || at === -1) return null;
  const before = Array.from(part.slice(0, at).split("\n").at(-1)!);
  const after = Array.from(part.slice(at + wanted.length).split("\n")[0]!);
  const start = `${before.length > AROUND ? "…" : ""}${before.slice(-AROUND).join("")}`;
  const end = `${after.slice(0, AROUND).join("")}${after.length > AROUND ? "…" : ""}`;
  return { in: place, text: `${start}${wanted}${end}`, start: start.length, end: start.length + wanted.length };
}
