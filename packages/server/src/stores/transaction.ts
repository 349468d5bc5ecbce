import { sql } from "kysely";
import { isPostgres } from "./dialect.ts";
import type { Db } from "./relational.ts";

/**
 * Runs `work` in one transaction and returns its result. Commits if `work` resolves, rolls back if it rejects. Every change that
 * reads, decides and writes must use it. Transactions with the same scope run one after another, even in several processes. The
 * scope is the id of the project whose records the transaction reads, or another name that these transactions share.
 */
export const transaction = <T>(db: Db, scope: string, work: (tx: Db) => Promise<T>): Promise<T> =>
  db.transaction().execute(isPostgres(db) ? (tx) => lock(tx, scope).then(() => work(tx)) : work);

/** Runs one statement while no other process runs a transaction with this scope. SQLite runs statements one at a time anyway. */
export const statement = <T>(db: Db, scope: string, run: (tx: Db) => Promise<T>): Promise<T> =>
  isPostgres(db) ? transaction(db, scope, run) : run(db);

/** Runs `work` while no other process runs work with this name. `work` may use other connections. */
export const alone = <T>(db: Db, name: string, work: () => Promise<T>): Promise<T> =>
  isPostgres(db) ? db.transaction().execute((tx) => lock(tx, name).then(work)) : work();

/** Waits until no other process does work with this name, and then prevents such work until the transaction `tx` ends. */
export const lockIn = async (tx: Db, name: string): Promise<void> => {
  if (isPostgres(tx)) await lock(tx, name);
};

/** SQLite needs no lock, because it has only one writer. */
const lock = (tx: Db, scope: string) => sql`SELECT pg_advisory_xact_lock(hashtextextended(${scope}, 0))`.execute(tx);
