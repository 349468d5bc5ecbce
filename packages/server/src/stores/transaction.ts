import { sql } from "kysely";
import { isPostgres } from "./dialect.ts";
import type { Db } from "./relational.ts";

/**
 * Runs `work` in one transaction and returns its result; commits when `work` resolves and rolls back when it rejects. Every
 * change that reads, decides and writes goes through here. Transactions of one scope run one after another, also in several
 * processes: the scope is the id of the project whose records they read, or another name that they share.
 */
export const transaction = <T>(db: Db, scope: string, work: (tx: Db) => Promise<T>): Promise<T> =>
  db.transaction().execute(isPostgres(db) ? (tx) => lock(tx, scope).then(() => work(tx)) : work);

/** Runs one statement while no other process runs one of this scope. SQLite runs each statement alone. */
export const statement = <T>(db: Db, scope: string, run: (tx: Db) => Promise<T>): Promise<T> =>
  isPostgres(db) ? transaction(db, scope, run) : run(db);

/** Runs `work` while no other process runs work of this name; `work` uses other connections. */
export const alone = <T>(db: Db, name: string, work: () => Promise<T>): Promise<T> =>
  isPostgres(db) ? db.transaction().execute((tx) => lock(tx, name).then(work)) : work();

/** Lets no other process do work of this name until the transaction `tx` ends. */
export const lockIn = async (tx: Db, name: string): Promise<void> => {
  if (isPostgres(tx)) await lock(tx, name);
};

/** Waits for the scope's lock, which ends with the transaction. SQLite needs none: it has one writer. */
const lock = (tx: Db, scope: string) => sql`SELECT pg_advisory_xact_lock(hashtextextended(${scope}, 0))`.execute(tx);
