import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { Kysely, SqliteDialect } from "kysely";
import { AppError } from "../errors.ts";
import { sha256 } from "../secrets.ts";
import type { Schema } from "./schema.ts";

const MIGRATIONS = join(import.meta.dirname, "../../migrations");

/** A wait for a lock blocks the one thread that serves all requests, so it is short. */
const BUSY_TIMEOUT_MS = 1_000;

export type Db = Kysely<Schema>;

export type Relational = {
  /** The query builder for the features' stores. */
  db: Db;
  /** The engine, for prepared statements on hot paths and for the sign-in library. */
  engine: Database.Database;
  reachable: () => boolean;
  close: () => Promise<void>;
};

/** Opens the relational store in `dataDir` and applies new migrations. */
export function openRelational(dataDir: string): Relational {
  const engine = new Database(join(dataDir, "relational.db"));
  engine.pragma("journal_mode = WAL");
  engine.pragma("synchronous = FULL");
  engine.pragma("foreign_keys = ON");
  engine.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
  migrate(engine);
  const db = new Kysely<Schema>({ dialect: dialectOf(engine) });
  const ping = engine.prepare("SELECT 1");
  return {
    db,
    engine,
    reachable: () => {
      try {
        return ping.get() !== undefined;
      } catch {
        return false;
      }
    },
    close: () => db.destroy(),
  };
}

/**
 * Returns a dialect that rolls back only open transactions. The engine itself rolls back when the disk is full or fails; a
 * second rollback would throw and hide the cause.
 */
function dialectOf(engine: Database.Database): SqliteDialect {
  const dialect = new SqliteDialect({ database: engine });
  const createDriver = dialect.createDriver.bind(dialect);
  dialect.createDriver = () => {
    const driver = createDriver();
    const rollback = driver.rollbackTransaction.bind(driver);
    driver.rollbackTransaction = async (connection) => {
      if (engine.inTransaction) await rollback(connection);
    };
    return driver;
  };
  return dialect;
}

/** Applies each new migration in one transaction. Throws when an applied file was edited, or is missing here. */
function migrate(engine: Database.Database): void {
  engine.exec(
    "CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, sha256 TEXT NOT NULL, applied_at TEXT NOT NULL) STRICT",
  );
  const applied = new Map(engine.prepare<[], [string, string]>("SELECT name, sha256 FROM migrations").raw().all());
  const record = engine.prepare("INSERT INTO migrations (name, sha256, applied_at) VALUES (?, ?, ?)");
  const names = readdirSync(MIGRATIONS)
    .filter((name) => name.endsWith(".sql"))
    .sort();
  const unknown = [...applied.keys()].find((name) => !names.includes(name));
  if (unknown) throw new Error(`A newer version wrote this data folder (migration ${unknown}). Start that version.`);
  for (const name of names) {
    const sql = readFileSync(join(MIGRATIONS, name), "utf8");
    const appliedSha256 = applied.get(name);
    if (appliedSha256 === undefined) {
      engine.transaction(() => {
        engine.exec(sql);
        record.run(name, sha256(sql), new Date().toISOString());
      })();
    } else if (appliedSha256 !== sha256(sql)) {
      throw new Error(
        `The migration ${name} was edited after it was applied. Restore the file and add a new migration.`,
      );
    }
  }
}

/** Returns whether a unique index refused the row. */
export const isUniqueViolation = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "SQLITE_CONSTRAINT_UNIQUE";

/** Returns a catch handler that turns a violated unique index into the refusal `name_taken`. */
export const refuseTaken =
  (message: string) =>
  (error: unknown): never => {
    if (!isUniqueViolation(error)) throw error;
    throw new AppError("name_taken", message);
  };

/** Engine codes of conditions that pass: a released lock, a disk with room again. Extended codes begin with these. */
const PASSING_CODE = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|CANTOPEN|READONLY)/;

/** Returns whether the engine is unavailable for now, through no fault of the request or the code. */
export const isStoreUnavailable = (error: unknown): boolean =>
  error instanceof Error && "code" in error && typeof error.code === "string" && PASSING_CODE.test(error.code);
