import type { Db } from "./relational.ts";

/**
 * Runs `work` in one transaction and returns its result; commits when `work` resolves and rolls back when it rejects. Every
 * change that reads, decides and writes goes through here, so that an engine with several writers needs a change in this
 * file only.
 */
export const transaction = <T>(db: Db, work: (tx: Db) => Promise<T>): Promise<T> => db.transaction().execute(work);
