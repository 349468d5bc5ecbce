import { join } from "node:path";
import Database from "better-sqlite3";
import { databaseOf } from "./engine.ts";

/** Renames a table of a running service while `work` runs, so that every statement on the table fails. */
export async function withoutTable(dataDir: string, table: string, work: () => Promise<void>): Promise<void> {
  const { run, close } = await openOutside(dataDir);
  await run(`ALTER TABLE ${table} RENAME TO ${table}_away`);
  try {
    await work();
  } finally {
    await run(`ALTER TABLE ${table}_away RENAME TO ${table}`);
    await close();
  }
}

/** Opens the relational store beside the service. `legacy_alter_table` keeps the old name of the table in triggers and views. */
async function openOutside(dataDir: string) {
  const url = await databaseOf(dataDir);
  if (url === undefined) {
    const outside = new Database(join(dataDir, "relational.db"));
    outside.pragma("legacy_alter_table = ON");
    return { run: async (statement: string) => void outside.exec(statement), close: async () => void outside.close() };
  }
  const { default: pg } = await import("pg");
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return { run: async (statement: string) => void (await client.query(statement)), close: () => client.end() };
}
