import { PostgresAdapter, type RawBuilder, sql } from "kysely";
import type { Db } from "./relational.ts";
import { searchText } from "./search-text.ts";

type Dialect = {
  /** The condition that a row's `search_text` contains the search text. */
  holdsText: (search: string) => RawBuilder<boolean>;
  /** The condition that a column with a JSON list of texts contains at least one of these texts. */
  listHoldsAny: (column: string, texts: readonly string[]) => RawBuilder<boolean>;
  /** A member of a JSON object as text. NULL if the object has no such member. */
  jsonText: <T extends string | null = string>(column: string, member: string) => RawBuilder<T>;
  /** A boolean member of a JSON object as 1 or 0. */
  jsonFlag: (column: string, member: string) => RawBuilder<0 | 1>;
  /** The JSON object in the column, with this member set to an empty text. */
  withEmptyText: (column: string, member: string) => RawBuilder<string>;
  secondsBetween: (from: string, to: string) => RawBuilder<number>;
  /** The clock of the database, in Unix milliseconds. The clocks of several processes may differ. */
  nowMs: RawBuilder<number>;
};

export const postgresNowMs = sql<number>`(extract(epoch FROM clock_timestamp()) * 1000)::bigint`;

const SQLITE: Dialect = {
  holdsText: (search) => sql`instr(search_text, ${searchText(search)}) > 0`,
  listHoldsAny: (column, texts) =>
    sql`EXISTS (SELECT 1 FROM json_each(${sql.ref(column)}) WHERE value IN (${sql.join(texts)}))`,
  jsonText: (column, member) => sql`json_extract(${sql.ref(column)}, ${sql.lit(`$.${member}`)})`,
  jsonFlag: (column, member) => sql`json_extract(${sql.ref(column)}, ${sql.lit(`$.${member}`)})`,
  withEmptyText: (column, member) => sql`json_set(${sql.ref(column)}, ${sql.lit(`$.${member}`)}, '')`,
  secondsBetween: (from, to) => sql`unixepoch(${sql.ref(to)}, 'subsec') - unixepoch(${sql.ref(from)}, 'subsec')`,
  nowMs: sql`CAST(unixepoch('subsec') * 1000 AS INTEGER)`,
};

const POSTGRES: Dialect = {
  holdsText: (search) => sql`strpos(search_text, ${searchText(search)}) > 0`,
  listHoldsAny: (column, texts) =>
    sql`EXISTS (SELECT 1 FROM json_array_elements_text(${sql.ref(column)}::json) AS element WHERE element IN (${sql.join(texts)}))`,
  jsonText: (column, member) => sql`${sql.ref(column)}::json ->> ${sql.lit(member)}`,
  jsonFlag: (column, member) => sql`(${sql.ref(column)}::json ->> ${sql.lit(member)})::boolean::integer`,
  withEmptyText: (column, member) => sql`jsonb_set(${sql.ref(column)}::jsonb, ARRAY[${sql.lit(member)}], '""')::text`,
  secondsBetween: (from, to) => sql`extract(epoch FROM ${sql.ref(to)}::timestamptz - ${sql.ref(from)}::timestamptz)`,
  nowMs: postgresNowMs,
};

export const isPostgres = (db: Db): boolean => db.getExecutor().adapter instanceof PostgresAdapter;

export const ofEngine = <Part>(db: Db, parts: { sqlite: Part; postgres: Part }): Part =>
  isPostgres(db) ? parts.postgres : parts.sqlite;

export const dialectOf = (db: Db): Dialect => ofEngine(db, { sqlite: SQLITE, postgres: POSTGRES });

export const nextRevision = sql<number>`revision + 1`;
