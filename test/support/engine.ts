import { createHash } from "node:crypto";
import { join } from "node:path";
import type { TestContext } from "vitest";
import type { Relational } from "../../packages/server/src/stores/relational.ts";
import { readOrCreateSecret } from "../../packages/server/src/base/secrets/secrets.ts";
import { ENCRYPTION_KEY } from "../../packages/server/src/stores/folder/folder-secrets.ts";
import { processFolderIn } from "../../packages/server/src/stores/folder/process-folder.ts";
import { openSqlite } from "../../packages/server/src/stores/sqlite/sqlite.ts";

/** The PostgreSQL database of `npm run test:engines`; undefined when the specs run on SQLite. */
const DATABASE_URL = process.env.SPEC_DATABASE_URL;
/** The ClickHouse of `npm run test:engines`; undefined when the specs run on DuckDB. */
const CLICKHOUSE_URL = process.env.SPEC_CLICKHOUSE_URL;

/** Whether other processes may use the relational store of the specs. */
export const IS_SHARED = DATABASE_URL !== undefined;

/** Secrets that all processes on one database share. */
export const SHARED_SECRETS = {
  SVC_AUTH_SECRET: "signs the sessions of all processes",
  SVC_ENCRYPTION_KEY: "seals-the-keys-of-all-processes-on-it",
};

/** Returns the key that seals the credentials of a service on this data folder. */
export const encryptionKeyOf = (dataDir: string): string =>
  DATABASE_URL === undefined
    ? readOrCreateSecret(dataDir, ENCRYPTION_KEY, undefined)
    : SHARED_SECRETS.SVC_ENCRYPTION_KEY;

/** Whether other processes may use the trace store of the specs. */
export const SHARES_TRACES = CLICKHOUSE_URL !== undefined;

/** Skips a test that reads or changes the file of the relational store, when the store is on PostgreSQL. */
export function needsStoreFile({ skip }: TestContext): void {
  skip(DATABASE_URL !== undefined, "the test reaches into the file of the relational store");
}

/** The schemas of specs have names with this beginning. */
export const SCHEMA_PREFIX = "svc_spec_";

const nameOf = (dataDir: string) => SCHEMA_PREFIX + createHash("sha256").update(dataDir).digest("hex").slice(0, 16);

/** Creates the schema that belongs to a data folder, and returns its address; undefined on SQLite. */
export async function databaseOf(dataDir: string): Promise<string | undefined> {
  if (DATABASE_URL === undefined) return undefined;
  const schema = nameOf(dataDir);
  const { default: pg } = await import("pg");
  const client = new pg.Client({ connectionString: DATABASE_URL });
  await client.connect();
  await client.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
  await client.end();
  const address = new URL(DATABASE_URL);
  address.searchParams.set("options", `-c search_path=${schema}`);
  return address.href;
}

/** Returns the settings of a service for the databases that belong to a data folder; none on SQLite. */
export async function databasesOf(dataDir: string): Promise<Record<string, string>> {
  const [database, clickHouse] = [await databaseOf(dataDir), await clickHouseOf(dataDir)];
  return {
    ...(database !== undefined && SHARED_SECRETS),
    ...(clickHouse !== undefined && {
      ...(JSON.parse(process.env.SPEC_S3_SETTINGS!) as Record<string, string>),
      SVC_DATABASE_URL: database!,
      SVC_CLICKHOUSE_URL: clickHouse,
    }),
  };
}

/** Creates the database in ClickHouse that belongs to a data folder, and returns its address; undefined on DuckDB. */
export async function clickHouseOf(dataDir: string): Promise<string | undefined> {
  if (CLICKHOUSE_URL === undefined) return undefined;
  const { createClient } = await import("@clickhouse/client");
  const client = createClient({ url: CLICKHOUSE_URL });
  await client.command({ query: `CREATE DATABASE IF NOT EXISTS ${nameOf(dataDir)} ENGINE = Atomic` });
  await client.close();
  return new URL(`/${nameOf(dataDir)}`, CLICKHOUSE_URL).href;
}

/** Returns the folder of the recordings that a service on this data folder has not given to an object store. */
export const recordingsFolderOf = (dataDir: string): string =>
  join(SHARES_TRACES ? processFolderIn(dataDir) : dataDir, "recordings");

/** Skips a test that reads or changes the journal or the tables in the data folder, when ClickHouse stores the traces. */
export function needsTraceFiles({ skip }: TestContext): void {
  skip(CLICKHOUSE_URL !== undefined, "the test reaches into the trace store's files");
}

/** Opens the relational store of a data folder beside the service, as another process would. */
export async function openStoreOf(dataDir: string): Promise<Relational> {
  const url = await databaseOf(dataDir);
  if (url === undefined) return openSqlite(dataDir);
  const { openPostgres } = await import("../../packages/server/src/stores/postgres/postgres.ts");
  return openPostgres(url);
}
