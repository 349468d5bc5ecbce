import type Database from "better-sqlite3";
import { sql } from "kysely";
import type { Db } from "./relational.ts";

/** The number of rows in one read. It is small, because a row may have a large text. */
const ROWS = 200;

type Value = string | number | null;

/**
 * Copies the rows of a table from PostgreSQL into the embedded store, where the table must be empty. Copies the rows that the
 * transaction `tx` sees.
 */
export async function fetchRows(
  tx: Db,
  engine: Database.Database,
  table: string,
  onFetched: (rows: number) => void,
): Promise<void> {
  const columns = engine.prepare<[], string>(`SELECT name FROM pragma_table_info('${table}')`).pluck().all();
  const places = columns.map(() => "?").join(", ");
  const insert = engine.prepare<Value[]>(
    `INSERT INTO "${table}" (${columns.map((column) => `"${column}"`).join(", ")}) VALUES (${places})`,
  );
  const insertAll = engine.transaction((rows: readonly Record<string, Value>[]) => {
    for (const row of rows) insert.run(...columns.map((column) => row[column]!));
  });
  const selected = sql.join(columns.map((column) => sql.ref(column)));
  await sql`DECLARE fetched CURSOR FOR SELECT ${selected} FROM ${sql.table(table)}`.execute(tx);
  for (let fetched = 0; ;) {
    const { rows } = await sql<Record<string, Value>>`FETCH ${sql.lit(ROWS)} FROM fetched`.execute(tx);
    insertAll(rows);
    onFetched((fetched += rows.length));
    if (rows.length < ROWS) break;
  }
  await sql`CLOSE fetched`.execute(tx);
}

/** Sets the counters of the embedded store, so that new rows get higher numbers than all rows of PostgreSQL, including deleted rows. */
export async function fetchNumbers(tx: Db, engine: Database.Database): Promise<void> {
  const numbering = engine.prepare<[], string>(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%AUTOINCREMENT%'",
  );
  const forget = engine.prepare("DELETE FROM sqlite_sequence WHERE name = ?");
  const remember = engine.prepare("INSERT INTO sqlite_sequence (name, seq) VALUES (?, CAST(? AS INTEGER))");
  for (const table of numbering.pluck().all()) {
    const { rows } = await sql<{ sequence: string }>`
      SELECT pg_get_serial_sequence(${table}, column_name) AS sequence FROM information_schema.columns
      WHERE table_schema = current_schema() AND table_name = ${table} AND is_identity = 'YES'`.execute(tx);
    const { rows: last } = await sql<{ number: number }>`
      SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS number FROM ${sql.raw(rows[0]!.sequence)}`.execute(tx);
    forget.run(table);
    remember.run(table, last[0]!.number);
  }
}
