import type Database from "better-sqlite3";
import type { Kysely } from "kysely";
import { AppError } from "../base/errors.ts";
import type { Schema } from "./schema.ts";

export type Db = Kysely<Schema>;

/** The open relational store, on either engine. */
export type Relational = {
  /** The query builder for the features' stores. */
  db: Db;
  /** The engine in this process; undefined on PostgreSQL. */
  embedded: Embedded | undefined;
  reachable: () => boolean | Promise<boolean>;
  /** Writes an embedded engine's log into its database file and empties it: the log also holds rows that were deleted since. */
  emptyLog: () => void;
  close: () => Promise<void>;
};

export type Embedded = {
  /** The engine, for prepared statements on hot paths. */
  engine: Database.Database;
  /** Call it after a transaction on the engine, and before its answer. The query builder does so itself. */
  committed: () => void;
};

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";

const POSTGRES_UNIQUE = "23505";

/** Returns whether a unique index refused the row; the index of a primary key does not count. */
function isUniqueViolation(error: unknown): boolean {
  if (codeOf(error) !== POSTGRES_UNIQUE) return codeOf(error) === "SQLITE_CONSTRAINT_UNIQUE";
  return !String((error as { constraint?: unknown }).constraint).endsWith("_pkey");
}

/** Returns a catch handler that turns a violated unique index into the refusal `name_taken`. */
export const refuseTaken =
  (message: string) =>
  (error: unknown): never => {
    if (!isUniqueViolation(error)) throw error;
    throw new AppError("name_taken", message);
  };

/** SQLite's codes of temporary conditions, such as a lock or a full disk. Extended codes begin with these. */
const PASSING_SQLITE = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|CANTOPEN|READONLY)/;
/** PostgreSQL's classes: connection, deadlock, lack of resources, wait for a lock, shutdown, failure of the system. */
const PASSING_POSTGRES = /^(08|40|53|55P03|57P|58)/;

/** Returns whether the store is unavailable for now, through no fault of the request or the code. */
export const isStoreUnavailable = (error: unknown): boolean =>
  PASSING_SQLITE.test(codeOf(error)) || PASSING_POSTGRES.test(codeOf(error));
