import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { clickHouseOf, databaseOf } from "./engine.ts";

/**
 * Returns the places where a service on this data folder stores the text: files with the number of occurrences, and tables of its
 * databases with the number of rows.
 */
export async function placesWith(dataDir: string, text: string): Promise<Record<string, number>> {
  return {
    ...filesWith(dataDir, text),
    ...(await postgresTablesWith(dataDir, text)),
    ...(await clickHouseTablesWith(dataDir, text)),
  };
}

/**
 * Returns the files under a folder whose bytes contain the text, with the number of occurrences. Starts again when a file is
 * renamed or deleted in the meantime.
 */
export function filesWith(folder: string, text: string): Record<string, number> {
  for (;;) {
    try {
      return countIn(folder, text);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
  }
}

function countIn(folder: string, text: string): Record<string, number> {
  const found: Record<string, number> = {};
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const bytes = readFileSync(join(entry.parentPath, entry.name));
    let count = 0;
    for (let at = bytes.indexOf(text); at !== -1; at = bytes.indexOf(text, at + 1)) count++;
    if (count > 0) found[entry.name] = count;
  }
  return found;
}

async function postgresTablesWith(dataDir: string, text: string): Promise<Record<string, number>> {
  const url = await databaseOf(dataDir);
  if (url === undefined) return {};
  const { default: pg } = await import("pg");
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const tables = await client.query<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()",
  );
  const found: Record<string, number> = {};
  for (const { name } of tables.rows) {
    const { rows } = await client.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM "${name}" AS stored
        WHERE strpos(stored::text, $1) > 0 OR strpos(stored::text, encode(convert_to($1, 'UTF8'), 'hex')) > 0`,
      [text],
    );
    if (rows[0]!.count > 0) found[`PostgreSQL's ${name}`] = rows[0]!.count;
  }
  await client.end();
  return found;
}

async function clickHouseTablesWith(dataDir: string, text: string): Promise<Record<string, number>> {
  const url = await clickHouseOf(dataDir);
  if (url === undefined) return {};
  const { createClient } = await import("@clickhouse/client");
  const client = createClient({ url });
  const rowsOf = async <Row>(query: string) =>
    (await client.query({ query, query_params: { text }, format: "JSONEachRow" })).json<Row>();
  const database = new URL(url).pathname.slice(1);
  const tables = await rowsOf<{ name: string }>(`SELECT name FROM system.tables WHERE database = '${database}'`);
  const found: Record<string, number> = {};
  for (const { name } of tables) {
    const [counted] = await rowsOf<{ count: number }>(
      `SELECT toUInt32(count()) AS count FROM ${database}.${name} WHERE position(toString(tuple(*)), {text: String}) > 0`,
    );
    if (counted!.count > 0) found[`ClickHouse's ${name}`] = counted!.count;
  }
  await client.close();
  return found;
}
