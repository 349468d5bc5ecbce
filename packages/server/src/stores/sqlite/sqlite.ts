import Database from "better-sqlite3";
import { type CompiledQuery, type DatabaseConnection, Kysely, SelectQueryNode, SqliteDialect } from "kysely";
import { sha256 } from "../../base/secrets/secrets.ts";
import type { Checksums } from "./checksums.ts";
import { migrate, type Upgrade } from "../migrate.ts";
import type { Embedded, Relational } from "../relational.ts";
import type { Schema } from "../schema.ts";
import { damaged, relationalPaths, type SqlitePaths } from "./store-damage.ts";

/** Longest wait for a lock. It is short, because the wait blocks the one thread that serves all requests. */
const BUSY_TIMEOUT_MS = 1_000;

/** Opens the relational store. A process that serves requests passes `checksums`. Calls `upgraded` if a store with data was migrated. */
export function openSqlite(
  dataDir: string,
  checksums?: Checksums,
  upgraded: (upgrade: Upgrade) => void = () => undefined,
): Relational & { embedded: Embedded } {
  const store = openSqliteFile(relationalPaths(dataDir), checksums, (engine) => {
    const upgrade = migrate(engine, dataDir);
    if (upgrade !== undefined) upgraded(upgrade);
  });
  const { engine, committed } = store;
  const ping = engine.prepare("SELECT 1");
  return {
    ...store,
    embedded: { engine, committed },
    reachable: () => {
      try {
        return ping.get() !== undefined;
      } catch {
        return false;
      }
    },
  };
}

export type SqliteFile = Pick<Relational, "db" | "emptyLog" | "close"> & Embedded;

export function openSqliteFile(
  paths: SqlitePaths,
  checksums: Checksums | undefined,
  prepare: (engine: Database.Database) => void,
): SqliteFile {
  const engine = openEngine(paths, checksums, prepare);
  const committed = () => checksums?.add();
  committed();
  const db = new Kysely<Schema>({ dialect: dialectOf(engine, committed) });
  return {
    db,
    engine,
    committed,
    emptyLog() {
      if (checksums === undefined) engine.pragma("wal_checkpoint(TRUNCATE)");
      else checksums.emptyLog();
    },
    async close() {
      checksums?.finish();
      await db.destroy();
      checksums?.close();
    },
  };
}

function openEngine(
  paths: SqlitePaths,
  checksums: Checksums | undefined,
  prepare: (engine: Database.Database) => void,
): Database.Database {
  const engine = new Database(paths.database);
  try {
    engine.pragma("journal_mode = WAL");
    engine.pragma("synchronous = FULL");
    engine.pragma("foreign_keys = ON");
    engine.pragma("secure_delete = ON"); // deleted rows are overwritten
    engine.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
    engine.function("sha256", { deterministic: true }, (text) => sha256(String(text)));
    checksums?.follow(engine);
    prepare(engine);
    return engine;
  } catch (error) {
    engine.close();
    checksums?.close();
    const cause = ((error as Error).cause ?? error) as Error & { code?: unknown };
    const isMalformed = /^SQLITE_(CORRUPT|NOTADB)/.test(String(cause.code));
    throw isMalformed ? damaged(paths, paths.database, cause.message) : error;
  }
}

/**
 * Returns a dialect that calls `committed` after each commit. The dialect rolls back only open transactions. When the disk is full
 * or fails, SQLite itself rolls back, and a second rollback would throw and hide the cause.
 */
function dialectOf(engine: Database.Database, committed: () => void): SqliteDialect {
  const dialect = new SqliteDialect({ database: { prepare: createPrepare(engine), close: () => engine.close() } });
  const createDriver = dialect.createDriver.bind(dialect);
  dialect.createDriver = () => {
    const driver = createDriver();
    const rollback = driver.rollbackTransaction.bind(driver);
    driver.rollbackTransaction = async (connection) => {
      if (engine.inTransaction) await rollback(connection);
    };
    const acquire = driver.acquireConnection.bind(driver);
    driver.acquireConnection = async () => noticing(await acquire(), engine, committed);
    return driver;
  };
  return dialect;
}

/** Number of statements that stay prepared. For a statement with few rows, the preparation takes longer than the execution. */
const PREPARED_MAX = 300;

/** Returns a function that prepares statements and keeps them. A prepared statement can run only once at a time. */
function createPrepare(engine: Database.Database): (sql: string) => Database.Statement {
  const prepared = new Map<string, Database.Statement>();
  return (sql) => {
    const known = prepared.get(sql);
    if (known !== undefined && !known.busy) {
      prepared.delete(sql);
      prepared.set(sql, known);
      return known;
    }
    const statement = engine.prepare(sql);
    prepared.set(sql, statement);
    if (prepared.size > PREPARED_MAX) prepared.delete(prepared.keys().next().value!);
    return statement;
  };
}

/** Returns whether a statement only reads, judged by its first word. */
const isRead = ({ query, sql }: CompiledQuery) => SelectQueryNode.is(query) || /^\s*SELECT\b/i.test(sql);

function noticing(
  connection: DatabaseConnection,
  engine: Database.Database,
  committed: () => void,
): DatabaseConnection {
  return {
    async executeQuery<Row>(query: CompiledQuery) {
      const result = await connection.executeQuery<Row>(query);
      if (!engine.inTransaction && !isRead(query)) committed();
      return result;
    },
    streamQuery: connection.streamQuery.bind(connection),
  };
}
