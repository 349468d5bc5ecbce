import { createClient } from "@clickhouse/client";
import { SCHEMA_PREFIX } from "../support/engine.ts";
import { findClickHouse } from "./find-clickhouse.ts";
import { createClickHouseServer } from "./clickhouse-server.ts";

/** Gives the specs a ClickHouse before vitest starts them. The returned function removes everything that it created. */
export default async function setup(): Promise<() => Promise<void>> {
  const found = findClickHouse();
  if ("missing" in found) throw new Error(found.missing);
  if ("url" in found) {
    process.env.SPEC_CLICKHOUSE_URL = found.url;
    return () => dropDatabases(found.url);
  }
  const server = createClickHouseServer(found.engine);
  await server.start();
  process.env.SPEC_CLICKHOUSE_URL = server.url();
  return server.remove;
}

async function dropDatabases(url: string): Promise<void> {
  const client = createClient({ url });
  const found = await client.query({
    query: `SELECT name FROM system.databases WHERE startsWith(name, '${SCHEMA_PREFIX}')`,
    format: "JSONEachRow",
  });
  for (const { name } of await found.json<{ name: string }>()) await client.command({ query: `DROP DATABASE ${name}` });
  await client.close();
}
