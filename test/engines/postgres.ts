import pg from "pg";
import { SCHEMA_PREFIX } from "../support/engine.ts";
import { findPostgres } from "./find-postgres.ts";
import { createPostgresServer } from "./postgres-server.ts";

/** Gives the specs a PostgreSQL before vitest starts them. The returned function removes everything that it created. */
export default async function setup(): Promise<() => Promise<void>> {
  const found = findPostgres();
  if ("missing" in found) throw new Error(found.missing);
  if ("url" in found) {
    process.env.SPEC_DATABASE_URL = found.url;
    return () => dropSchemas(found.url);
  }
  const server = await createPostgresServer(found);
  await server.start();
  process.env.SPEC_DATABASE_URL = server.url;
  return server.remove;
}

async function dropSchemas(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ name: string }>(
    "SELECT nspname AS name FROM pg_namespace WHERE starts_with(nspname, $1)",
    [SCHEMA_PREFIX],
  );
  for (const { name } of rows) await client.query(`DROP SCHEMA ${name} CASCADE`);
  await client.end();
}
