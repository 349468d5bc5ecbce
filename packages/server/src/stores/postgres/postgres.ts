import { HandleEmptyInListsPlugin, Kysely, PostgresDialect, replaceWithNoncontingentExpression } from "kysely";
import type { ClientBase, Pool, PoolClient, QueryConfig } from "pg";
import { migratePostgres, requireMigrated } from "./postgres-migrations.ts";
import type { Relational } from "../relational.ts";
import type { Schema } from "../schema.ts";

/** The number of connections of one process. A transaction uses one, even while it waits for the lock of its scope. */
const CONNECTIONS = 20;
/** Longest wait for a connection, even while other work of this process uses all connections. */
const CONNECT_TIMEOUT_MS = 30_000;
const PING_TIMEOUT_MS = 2_000;
/** The longest wait for a query's result, even if the query waits for a lock. */
const QUERY_TIMEOUT_MS = 30_000;
/** The types of counts and sums. By default, the driver returns them as strings. */
const NUMBER_TYPES = new Set([20, 1700]);

export async function openPostgres(
  url: string,
  queryTimeoutMs = QUERY_TIMEOUT_MS,
  prepare: (client: ClientBase) => Promise<void> = migratePostgres,
): Promise<Relational> {
  const { default: pg } = await import("pg");
  const pool = new pg.Pool({
    connectionString: url,
    max: CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    types: {
      getTypeParser: ((type: number, format: "text") =>
        NUMBER_TYPES.has(type) ? Number : pg.types.getTypeParser(type, format)) as typeof pg.types.getTypeParser,
    },
  });
  // If a connection breaks, the next query on it fails. The pool replaces idle connections.
  pool.on("connect", (client) => client.on("error", () => undefined));
  pool.on("error", () => undefined);
  try {
    const client = await pool.connect().catch((error: Error) => {
      const { host, pathname } = new URL(url);
      throw new Error(
        `PostgreSQL at ${host}${pathname} cannot be used: ${error.message}. Start it, or correct SVC_DATABASE_URL.`,
        { cause: error },
      );
    });
    await prepare(client).finally(() => client.release());
  } catch (error) {
    await pool.end();
    throw error;
  }
  const isOfEngine = (error: unknown) => error instanceof pg.DatabaseError;
  const db = new Kysely<Schema>({
    dialect: new PostgresDialect({ pool: adaptedPool(pool, isOfEngine, queryTimeoutMs) }),
    plugins: [new HandleEmptyInListsPlugin({ strategy: replaceWithNoncontingentExpression })],
  });
  return {
    db,
    embedded: undefined,
    reachable: () => answers(pool),
    emptyLog: () => undefined,
    async close() {
      await db.destroy();
      // If no query was run, the query builder does not have the pool and cannot close it.
      if (!pool.ending) await pool.end();
    },
  };
}

/**
 * Opens the relational store in a PostgreSQL database that this version of the service has already used. Changes nothing in it.
 */
export const openPreparedPostgres = (url: string): Promise<Relational> =>
  openPostgres(url, QUERY_TIMEOUT_MS, requireMigrated);

/**
 * An error that PostgreSQL did not send is an error of the connection: it gets the code 08006, PostgreSQL's code
 * for a failed connection. The connection is not used again.
 */
function adaptedPool(pool: Pool, isOfEngine: (error: unknown) => boolean, query_timeout: number) {
  const named = (error: unknown): never => {
    if (isOfEngine(error)) throw error;
    throw Object.assign(new Error(`PostgreSQL does not answer: ${(error as Error).message}`, { cause: error }), {
      code: "08006",
    });
  };
  return {
    options: pool.options,
    end: () => pool.end(),
    async connect(): Promise<PoolClient> {
      const client = await pool.connect().catch(named);
      let isBroken = false;
      return {
        query: (text: string, values: unknown[] = []) =>
          client.query({ text, values: values.map(storable), query_timeout } as QueryConfig).catch((error: unknown) => {
            isBroken ||= !isOfEngine(error);
            return named(error);
          }),
        release: () => client.release(isBroken),
      } as PoolClient;
    },
  };
}

/** Escapes in JSON. The first two stand for characters that a text in PostgreSQL cannot contain: U+0000 and surrogates. */
const ESCAPES = /\\(u0000|ud[89a-f][0-9a-f]{2}|[^])/g;

/** Replaces characters in texts and JSON that PostgreSQL cannot store by U+FFFD. */
function storable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => (typeof item === "string" ? withoutNull(item) : item));
  if (typeof value !== "string") return value;
  const text = withoutNull(value);
  if (!/^[[{]/.test(text) || !/\\u(0000|d[89a-f])/.test(text)) return text;
  return text.replace(ESCAPES, (escape, escaped: string) => (escaped.length > 1 ? "\\ufffd" : escape));
}

const withoutNull = (text: string) => text.replaceAll("\0", "\uFFFD");

async function answers(pool: Pool): Promise<boolean> {
  const late = Promise.withResolvers<false>();
  const timer = setTimeout(() => late.resolve(false), PING_TIMEOUT_MS).unref();
  const ping = pool.query("SELECT 1").then(
    () => true,
    () => false,
  );
  return Promise.race([ping, late.promise]).finally(() => clearTimeout(timer));
}
