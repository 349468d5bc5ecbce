import { type RawBuilder, sql } from "kysely";
import { dialectOf, ofEngine } from "../../../stores/dialect.ts";
import type { Db } from "../../../stores/relational.ts";
import { searchText } from "../../../stores/search-text.ts";
import { SEARCH_BY_TERMS } from "./search-terms.ts";
import { SEARCH_BY_TRIGRAMS } from "./search-trigrams.ts";
import type { SearchIndex } from "./search-words.ts";

type ColumnType = "integer" | "bigint" | "double precision" | "text" | "boolean" | "text[]";
type Columns = Readonly<Record<string, ColumnType>>;

/**
 * SQL that differs between the two engines of the index. A list of texts is an array in PostgreSQL and JSON in SQLite. `listOf` reads
 * both forms.
 */
type IndexDialect = {
  /** These rows as a table with a name, for use after FROM. */
  table: (name: string, columns: Columns, rows: readonly object[]) => RawBuilder<unknown>;
  /** The aggregate that is true if a condition is true for any row. */
  any: (condition: string) => string;
  /** The aggregate that returns a value from the first row, in the given order, for which a condition is true. */
  first: (value: string, order: string, condition: string) => string;
  /** The ids of the first traces in a group of rows of `traces`, at most `most`. */
  traceIds: (most: number) => string;
  listHas: (column: string, text: string) => RawBuilder<boolean>;
  /** The position of a text in a column's text, from 1; 0 if the column does not contain it. Both are in the form of `searchText`. */
  position: (column: string, text: string) => RawBuilder<number>;
  /** Whether the names in a conversation's sums contain the search. Both are compared in the form of `searchText`. */
  namesContain: (search: string) => RawBuilder<boolean>;
  /** A text that is compared by its bytes. */
  inBytes: (text: string) => RawBuilder<string>;
  /** The SHA-256 of a prefix and a column's text, in hexadecimal. */
  sha256: (prefix: string, column: string) => RawBuilder<string>;
  /**
   * A join that looks up rows of the right table for each row of the left table. With an ordinary join, SQLite's planner might read
   * the whole right table.
   */
  lookUp: RawBuilder<unknown>;
  /** Locks the rows of a query until the transaction ends. Empty for SQLite, which has only one writer. */
  forUpdate: RawBuilder<unknown>;
  /** Locks the rows of a query like `forUpdate`, but skips rows that another transaction has locked. */
  forUpdateOfFree: RawBuilder<unknown>;
  /** Higher than the number of any lease that has not ended. */
  nextLease: (db: Db) => Promise<number>;
  search: SearchIndex;
};

const NAMES = ["agent", "conversation", "root_name"].join(", ");
const SQLITE_TYPES: Partial<Record<ColumnType, string>> = {
  integer: "INTEGER",
  bigint: "INTEGER",
  "double precision": "REAL",
};

/** Number of the last lease, on SQLite. It is only in memory, because only one process uses the data folder. */
let lastLease = 0;

const SQLITE: IndexDialect = {
  table(name, columns, rows) {
    const values = Object.entries(columns).map(([column, type]) => {
      const value = `value ->> '${column}'`;
      const as = SQLITE_TYPES[type];
      return `${as === undefined ? value : `CAST(${value} AS ${as})`} AS "${column}"`;
    });
    // `jsonb_each` parses each row once. `json_each` would write and parse it again for each column.
    return sql`(SELECT ${sql.raw(values.join(", "))} FROM jsonb_each(${JSON.stringify(rows)})) AS ${sql.ref(name)}`;
  },
  any: (condition) => `max(${condition})`,
  first: (value, order, condition) => `json_group_array(${value} ORDER BY ${order}) FILTER (WHERE ${condition}) ->> 0`,
  traceIds: (most) => `(SELECT json_group_array(trace_id) FROM (
    SELECT s.trace_id FROM traces AS s WHERE s.project = traces.project AND s.key = traces.key
    ORDER BY s.started_ns, s.trace_id LIMIT ${most}))`,
  listHas: (column, text) => sql`EXISTS (SELECT 1 FROM json_each(${sql.ref(column)}) WHERE value = ${text})`,
  position: (column, text) => sql`instr(${sql.ref(column)}, ${text})`,
  namesContain: (search) => sql`instr(search_text(concat_ws(char(10), ${sql.raw(NAMES)})), ${searchText(search)}) > 0`,
  inBytes: (text) => sql`${text}`,
  sha256: (prefix, column) => sql`sha256(${prefix} || ${sql.ref(column)})`,
  lookUp: sql`CROSS JOIN`,
  forUpdate: sql``,
  forUpdateOfFree: sql``,
  nextLease: () => Promise.resolve(++lastLease),
  search: SEARCH_BY_TRIGRAMS,
};

/** Converts to lower case by the Unicode rules, which the database has in every locale. */
const fold = (text: RawBuilder<unknown>) => sql`lower(normalize(${text}, NFKC) COLLATE "und-x-icu") COLLATE "C"`;

const POSTGRES: IndexDialect = {
  table(name, columns, rows) {
    const types = Object.entries(columns).map(([column, type]) => `"${column}" ${type}`);
    const values = Object.entries(columns).map(
      ([column, type]) => `"${column}"${type === "text" ? ` COLLATE "C" AS "${column}"` : ""}`,
    );
    return sql`(SELECT ${sql.raw(values.join(", "))} FROM json_to_recordset(${JSON.stringify(rows)}::json)
      AS r(${sql.raw(types.join(", "))})) AS ${sql.ref(name)}`;
  },
  any: (condition) => `bool_or(${condition})`,
  first: (value, order, condition) => `(array_agg(${value} ORDER BY ${order}) FILTER (WHERE ${condition}))[1]`,
  traceIds: (most) => `(array_agg(trace_id ORDER BY started_ns, trace_id))[1:${most}]`,
  listHas: (column, text) => sql`${text} = ANY(${sql.ref(column)})`,
  position: (column, text) => sql`strpos(${sql.ref(column)}, ${text})`,
  namesContain: (search) =>
    sql`strpos(${fold(sql.raw(`concat_ws(chr(10), ${NAMES})`))}, ${fold(sql`${search}::text`)}) > 0`,
  inBytes: (text) => sql`${text}::text COLLATE "C"`,
  sha256: (prefix, column) => sql`encode(sha256(convert_to(${prefix}::text || ${sql.ref(column)}, 'UTF8')), 'hex')`,
  lookUp: sql`JOIN`,
  forUpdate: sql`FOR UPDATE`,
  forUpdateOfFree: sql`FOR UPDATE SKIP LOCKED`,
  async nextLease(db) {
    const { rows } = await sql<{ lease: number }>`SELECT nextval('trace_leases') AS lease`.execute(db);
    return rows[0]!.lease;
  },
  search: SEARCH_BY_TERMS,
};

export const indexDialectOf = (db: Db): IndexDialect => ofEngine(db, { sqlite: SQLITE, postgres: POSTGRES });

export const nowMsOf = (db: Db): RawBuilder<number> => dialectOf(db).nowMs;

/** Returns a list of texts from a column: PostgreSQL returns an array, SQLite JSON. */
export const listOf = <Text extends string = string>(value: Text[] | string | null): Text[] | null =>
  typeof value === "string" ? (JSON.parse(value) as Text[]) : value;

/** NULL is ignored. */
export const least = (one: string, other: string) =>
  `CASE WHEN ${one} IS NULL OR ${other} < ${one} THEN ${other} ELSE ${one} END`;
/** NULL is ignored. */
export const greatest = (one: string, other: string) =>
  `CASE WHEN ${one} IS NULL OR ${other} > ${one} THEN ${other} ELSE ${one} END`;
