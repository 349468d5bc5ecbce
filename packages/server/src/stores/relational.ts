import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { type CompiledQuery, type DatabaseConnection, Kysely, SelectQueryNode, SqliteDialect } from "kysely";
import { MIGRATIONS } from "../assets.ts";
import { AppError } from "../errors.ts";
import { sha256 } from "../secrets.ts";
import type { Checksums } from "./checksums.ts";
import { damaged, relationalPaths } from "./store-damage.ts";
import type { Schema } from "./schema.ts";

/**
 * SHA-256 of migrations whose comments were reworded after data folders had applied them; their statements are the same.
 */
const FORMER_SHA256: Record<string, string> = {
  "0001-accounts.sql": "9f7f13dacb0ef0149ebbd40f9e66de58264f4293623857667343a15af1690474",
  "0002-tests.sql": "30a7bc518b6403a1fcd322cba6d135fce9a15afaf654a082ae0b6403ed46ca1f",
  "0003-sealed-credentials.sql": "0725849baaf0efc70f453860621c6fb2ff0d08ab764623b71172287461c49397",
  "0004-agents.sql": "e3d50bf19752f19b1f457ef47d865bc24577f10dabe5b0aae61eff7bf6b061fc",
  "0005-monitoring.sql": "c253a7a05ddf3a86dfb7dcdb44e875b3d667572517c19cddffad5b851f984a05",
  "0006-personas.sql": "5bfb43b3502996d9dd24e8546c21a73b085876fb7d49c9e033e687ad5c45a52c",
  "0007-voices.sql": "84274276147c1bb77ec781103a1a9c34088dbf37b0487c5c2e0a3c821f915755",
  "0008-mock-tools.sql": "5c5064eaf5280a338082a1037a3d991a74fada96b82ab762539de33441f7c976",
  "0009-runs.sql": "9e958c60447f2643c0592a95fa4327e365b267f56ffc0bcd455816adfa47218f",
  "0010-graders.sql": "c2dc2feb1e24107d5bac1227d2380ff432ec2ab0ac38ae97963c3813e6bd949a",
};

/** A wait for a lock blocks the one thread that serves all requests, so it is short. */
const BUSY_TIMEOUT_MS = 1_000;

export type Db = Kysely<Schema>;

export type Relational = {
  /** The query builder for the features' stores. */
  db: Db;
  /** The engine, for prepared statements on hot paths and for the sign-in library. */
  engine: Database.Database;
  /** Call it after a transaction on the engine, and before its answer. The query builder does so itself. */
  committed: () => void;
  reachable: () => boolean;
  /** Writes the log into the database file and empties it: the log also holds rows that were deleted since. */
  emptyLog: () => void;
  close: () => Promise<void>;
};

/** Opens the relational store in `dataDir` and applies new migrations; the service passes the store's checksums. */
export function openRelational(dataDir: string, checksums?: Checksums): Relational {
  const engine = openEngine(dataDir, checksums);
  const committed = () => checksums?.add();
  committed();
  const db = new Kysely<Schema>({ dialect: dialectOf(engine, committed) });
  const ping = engine.prepare("SELECT 1");
  return {
    db,
    engine,
    committed,
    reachable: () => {
      try {
        return ping.get() !== undefined;
      } catch {
        return false;
      }
    },
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

function openEngine(dataDir: string, checksums: Checksums | undefined): Database.Database {
  const paths = relationalPaths(dataDir);
  const engine = new Database(paths.database);
  try {
    engine.pragma("journal_mode = WAL");
    engine.pragma("synchronous = FULL");
    engine.pragma("foreign_keys = ON");
    engine.pragma("secure_delete = ON"); // deleted rows are overwritten
    engine.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
    engine.function("sha256", { deterministic: true }, (text) => sha256(String(text)));
    checksums?.follow(engine);
    migrate(engine);
    return engine;
  } catch (error) {
    engine.close();
    checksums?.close();
    const isMalformed = /^SQLITE_(CORRUPT|NOTADB)/.test(String((error as { code?: unknown }).code));
    throw isMalformed ? damaged(paths, paths.database, (error as Error).message) : error;
  }
}

/**
 * Returns a dialect that calls `committed` after each commit, and rolls back only open transactions. The engine itself rolls
 * back when the disk is full or fails; a second rollback would throw and hide the cause.
 */
function dialectOf(engine: Database.Database, committed: () => void): SqliteDialect {
  const dialect = new SqliteDialect({ database: engine });
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

function noticing(
  connection: DatabaseConnection,
  engine: Database.Database,
  committed: () => void,
): DatabaseConnection {
  return {
    async executeQuery<Row>(query: CompiledQuery) {
      const result = await connection.executeQuery<Row>(query);
      if (!engine.inTransaction && !SelectQueryNode.is(query.query)) committed();
      return result;
    },
    streamQuery: connection.streamQuery.bind(connection),
  };
}

const migrationNames = () =>
  readdirSync(MIGRATIONS)
    .filter((name) => name.endsWith(".sql"))
    .sort();

/** Returns a migration of a newer version that the store contains. */
export function unknownMigration(engine: Database.Database): string | undefined {
  const names = migrationNames();
  return engine
    .prepare<[], string>("SELECT name FROM migrations")
    .pluck()
    .all()
    .find((name) => !names.includes(name));
}

/** Applies each new migration in one transaction. Throws when an applied file was edited, or is missing here. */
function migrate(engine: Database.Database): void {
  engine.exec(
    "CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, sha256 TEXT NOT NULL, applied_at TEXT NOT NULL) STRICT",
  );
  const applied = new Map(engine.prepare<[], [string, string]>("SELECT name, sha256 FROM migrations").raw().all());
  const record = engine.prepare("INSERT INTO migrations (name, sha256, applied_at) VALUES (?, ?, ?)");
  const unknown = unknownMigration(engine);
  if (unknown) throw new Error(`A newer version wrote this data folder (migration ${unknown}). Start that version.`);
  for (const name of migrationNames()) {
    const sql = readFileSync(join(MIGRATIONS, name), "utf8");
    const appliedSha256 = applied.get(name);
    if (appliedSha256 === undefined) {
      engine.transaction(() => {
        engine.exec(sql);
        record.run(name, sha256(sql), new Date().toISOString());
      })();
    } else if (appliedSha256 !== sha256(sql) && appliedSha256 !== FORMER_SHA256[name]) {
      throw new Error(
        `The migration ${name} was edited after it was applied. Restore the file and add a new migration.`,
      );
    }
  }
}

/** Returns whether a unique index refused the row. */
const isUniqueViolation = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "SQLITE_CONSTRAINT_UNIQUE";

/** Returns a catch handler that turns a violated unique index into the refusal `name_taken`. */
export const refuseTaken =
  (message: string) =>
  (error: unknown): never => {
    if (!isUniqueViolation(error)) throw error;
    throw new AppError("name_taken", message);
  };

/** Engine codes of temporary conditions, such as a lock or a full disk. Extended codes begin with these. */
const PASSING_CODE = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|CANTOPEN|READONLY)/;

/** Returns whether the engine is unavailable for now, through no fault of the request or the code. */
export const isStoreUnavailable = (error: unknown): boolean =>
  error instanceof Error && "code" in error && typeof error.code === "string" && PASSING_CODE.test(error.code);
