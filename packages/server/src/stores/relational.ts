import type Database from "better-sqlite3";
import type { Kysely } from "kysely";
import { AppError } from "../base/errors.ts";
import type { Schema } from "./schema.ts";

export type Db = Kysely<Schema>;

export type Relational = {
  db: Db;
  /** The engine in this process; undefined on PostgreSQL. */
  embedded: Embedded | undefined;
  reachable: () => boolean | Promise<boolean>;
  /** Writes the embedded engine's log into the database file, then empties the log, because the log also contains deleted rows. */
  emptyLog: () => void;
  close: () => Promise<void>;
};

export type Embedded = {
  engine: Database.Database;
  /**
   * Call `committed` after each transaction that is run directly on the engine, before its result is reported. The query builder
   * calls it after its own transactions.
   */
  committed: () => void;
};

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";

const POSTGRES_UNIQUE = "23505";

/** Returns whether a row violates a unique index. The violation of a primary key does not count. */
function isUniqueViolation(error: unknown): boolean {
  if (codeOf(error) !== POSTGRES_UNIQUE) return codeOf(error) === "SQLITE_CONSTRAINT_UNIQUE";
  return !String((error as { constraint?: unknown }).constraint).endsWith("_pkey");
}

export const refuseTaken =
  (message: string) =>
  (error: unknown): never => {
    if (!isUniqueViolation(error)) throw error;
    throw new AppError("name_taken", message);
  };

/** SQLite's error codes for temporary conditions, such as a lock or a full disk. Extended codes start with these. */
const PASSING_SQLITE = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|CANTOPEN|READONLY)/;
/** PostgreSQL's error classes for temporary conditions: connection, deadlock, resources, lock, shutdown, system. */
const PASSING_POSTGRES = /^(08|40|53|55P03|57P|58)/;

export const isStoreUnavailable = (error: unknown): boolean =>
  PASSING_SQLITE.test(codeOf(error)) || PASSING_POSTGRES.test(codeOf(error));
