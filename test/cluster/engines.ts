import { createClient } from "@clickhouse/client";
import { createClickHouseServer } from "../engines/clickhouse-server.ts";
import { findClickHouse } from "../engines/find-clickhouse.ts";
import { findPostgres, type InstalledPostgres } from "../engines/find-postgres.ts";
import { createPostgresServer } from "../engines/postgres-server.ts";
import { SHARED_SECRETS } from "../support/engine.ts";
import { openObjectStore } from "../support/object-store.ts";

/** A database that these specs stop and start again. */
type Engine = { name: string; stop: () => Promise<void>; start: () => Promise<void> };

export type Engines = {
  /** The address of the PostgreSQL database. */
  databaseUrl: string;
  /** The databases, in the order in which these specs restart them. */
  engines: Engine[];
  /** The settings with which a process uses these databases. */
  databases: Record<string, string>;
  remove: () => Promise<void>;
};

/** Starts PostgreSQL, ClickHouse and an object store. */
export async function startEngines(): Promise<Engines> {
  const postgres = await createPostgresServer(findPostgres() as InstalledPostgres);
  await postgres.start();
  const { engine } = findClickHouse() as { engine: string };
  const clickHouse = createClickHouseServer(engine);
  await clickHouse.start();
  const client = createClient({ url: clickHouse.url() });
  await client.command({ query: "CREATE DATABASE svc ENGINE = Atomic" });
  await client.close();
  const objects = await openObjectStore();
  const addresses = { SVC_DATABASE_URL: postgres.url, SVC_CLICKHOUSE_URL: `${clickHouse.url()}/svc` };
  return {
    databaseUrl: postgres.url,
    engines: [
      { name: "ClickHouse", stop: clickHouse.stop, start: clickHouse.start },
      { name: "PostgreSQL", stop: postgres.stop, start: postgres.start },
    ],
    databases: { ...SHARED_SECRETS, ...objects.settings, ...addresses },
    async remove() {
      objects.close();
      await clickHouse.remove();
      await postgres.remove();
    },
  };
}
