import type Database from "better-sqlite3";
import { sql } from "kysely";
import type { Db } from "./relational.ts";

/** Limits of one INSERT. PostgreSQL limits the number of parameters. The limits of rows and characters save memory. */
const PARAMETERS_MAX = 60_000;
const ROWS_MAX = 1_000;
const CHARACTERS_MAX = 4 * 1024 * 1024;

/** Tables that are not copied. They describe this store itself, or their rows are short-lived. */
const LEFT_OUT = new Set([
  "migrations",
  "moved_folders",
  "clock_witness",
  "request_counts",
  "relayed_requests",
  "token_buckets",
  "password_attempts",
  "tries_under_way",
  "waiting_accounts",
]);

type Value = string | number | null;

/** Returns the tables whose rows are copied into another store. A table follows the tables to which its rows refer. */
export function tablesToCopy(engine: Database.Database): string[] {
  const named = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'sqlite_*' ORDER BY name";
  const tables = engine.prepare<[], string>(named).pluck().all();
  const ordered = new Set<string>();
  const add = (table: string): void => {
    if (ordered.has(table) || LEFT_OUT.has(table)) return;
    for (const target of referredTables(engine, table)) if (target !== table) add(target);
    ordered.add(table);
  };
  tables.forEach(add);
  return [...ordered];
}

const referredTables = (engine: Database.Database, table: string): string[] =>
  engine.prepare<[string], string>('SELECT "table" FROM pragma_foreign_key_list(?)').pluck().all(table);

/** Copies the rows of a table into PostgreSQL, in INSERTs of limited size. Skips rows that PostgreSQL already has. */
export async function copyRows(
  engine: Database.Database,
  db: Db,
  table: string,
  onCopied: (rows: number) => void,
): Promise<void> {
  const select = engine.prepare<[], Value[]>(`SELECT * FROM "${table}"`).raw();
  const columns = select.columns().map(({ name }) => name);
  const rowsMax = Math.min(ROWS_MAX, Math.floor(PARAMETERS_MAX / columns.length));
  let rows: Value[][] = [];
  let characters = 0;
  let copied = 0;

  async function insert(): Promise<void> {
    await sql`
      INSERT INTO ${sql.table(table)} (${sql.join(columns.map((column) => sql.ref(column)))})
      VALUES ${sql.join(rows.map((row) => sql`(${sql.join(row)})`))} ON CONFLICT DO NOTHING`.execute(db);
    onCopied((copied += rows.length));
    rows = [];
    characters = 0;
  }

  for (const row of select.iterate()) {
    rows.push(row);
    for (const value of row) if (typeof value === "string") characters += value.length;
    if (rows.length >= rowsMax || characters >= CHARACTERS_MAX) await insert();
  }
  if (rows.length > 0) await insert();
}

/** Sets the identity columns of PostgreSQL, so that new rows get higher numbers than all rows of SQLite, including deleted rows. */
export async function continueNumbers(engine: Database.Database, db: Db, tables: readonly string[]): Promise<void> {
  const { rows } = await sql<{ table: string; column: string }>`
    SELECT table_name AS "table", column_name AS "column" FROM information_schema.columns
    WHERE is_identity = 'YES' AND table_schema = current_schema()`.execute(db);
  const given = new Map(engine.prepare<[], [string, number]>("SELECT name, seq FROM sqlite_sequence").raw().all());
  for (const { table, column } of rows.filter((row) => tables.includes(row.table))) {
    const highest = engine.prepare<[], number | null>(`SELECT max("${column}") FROM "${table}"`).pluck().get() ?? 0;
    const last = Math.max(highest, given.get(table) ?? 0);
    await sql`SELECT setval(pg_get_serial_sequence(${table}, ${column}), ${Math.max(1, last)}, ${last > 0})`.execute(
      db,
    );
  }
}

export async function firstTableWithRows(db: Db, tables: readonly string[]): Promise<string | undefined> {
  for (const table of tables) {
    const { rows } = await sql`SELECT 1 FROM ${sql.table(table)} LIMIT 1`.execute(db);
    if (rows.length > 0) return table;
  }
  return undefined;
}

export async function emptyTables(db: Db, tables: readonly string[]): Promise<void> {
  await sql`TRUNCATE ${sql.join(tables.map((table) => sql.table(table)))}`.execute(db);
}

type RowCounts = { table: string; embedded: number; postgres: number };

export async function countRows(engine: Database.Database, db: Db, tables: readonly string[]): Promise<RowCounts[]> {
  const counts: RowCounts[] = [];
  for (const table of tables) {
    const embedded = engine.prepare<[], number>(`SELECT count(*) FROM "${table}"`).pluck().get()!;
    const { rows } = await sql<{ count: number }>`SELECT count(*) AS count FROM ${sql.table(table)}`.execute(db);
    counts.push({ table, embedded, postgres: rows[0]!.count });
  }
  return counts;
}
