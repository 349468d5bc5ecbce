import type { Db } from "../../../stores/relational.ts";

const TRIES_MAX = 5;
/** PostgreSQL's error codes for a transaction that failed because of a concurrent transaction. */
const DEFEATED = new Set(["40001", "40P01"]);

/** Runs `work` again, at most `TRIES_MAX` times, if a concurrent transaction made the transaction fail. */
export async function inTransaction<T>(db: Db, work: (tx: Db) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().execute(work);
    } catch (error) {
      if (attempt === TRIES_MAX || !DEFEATED.has((error as { code?: string }).code ?? "")) throw error;
    }
  }
}
