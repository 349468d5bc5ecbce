import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { Kysely, SqliteDialect } from "kysely";
import { AppError } from "../errors.ts";
import { sha256 } from "../secrets.ts";
import type { Schema } from "./schema.ts";

const MIGRATIONS = join(import.meta.dirname, "../../migrations");

/** The engine waits on the one thread that serves everybody, so it does not wait long. */
const BUSY_TIMEOUT_MS = 1_000;

export type Db = Kysely<Schema>;

export type Relational = {
  /** Queries of the features. */
  db: Db;
  /** The engine itself, for prepared statements on hot paths and for the sign-in library. */
  engine: Database.Database;
  reachable: () => boolean;
  close: () => Promise<void>;
};

/** Opens the relational store in `dataDir` and brings its schema up to date. */
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
 * The engine takes a transaction back by itself when the disk is full or fails; taking it back once more would be an error
 * that hides the cause.
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

/** Applies the numbered files that are new, each in one transaction; a landed file that was edited stops the start. */
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
  if (unknown) throw new Error(`The data directory was written by a newer version (${unknown}); start that version.`);
  for (const name of names) {
    const sql = readFileSync(join(MIGRATIONS, name), "utf8");
    const known = applied.get(name);
    if (known === undefined) {
      engine.transaction(() => {
        engine.exec(sql);
        record.run(name, sha256(sql), new Date().toISOString());
      })();
    } else if (known !== sha256(sql)) {
      throw new Error(`The migration ${name} was changed after it was applied; restore it and add a new one.`);
    }
  }
}

/** Whether an error is the engine's word that a unique index refused a row. */
export const isUniqueViolation = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "SQLITE_CONSTRAINT_UNIQUE";

/** Catches a write of a name that a unique index guards. */
export const refuseTaken =
  (message: string) =>
  (error: unknown): never => {
    if (!isUniqueViolation(error)) throw error;
    throw new AppError("name_taken", message);
  };

/** Codes of the engine that pass when the lock is let go or the disk has room again; extended ones begin with these. */
const PASSING = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|CANTOPEN|READONLY)/;

/** Whether an error is the engine's word that it cannot serve now, through no fault of the request or of the code. */
export const isStoreUnavailable = (error: unknown): boolean =>
  error instanceof Error && "code" in error && typeof error.code === "string" && PASSING.test(error.code);
