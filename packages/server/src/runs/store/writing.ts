import type { Db } from "../../stores/relational.ts";
import { transaction } from "../../stores/transaction.ts";

/** Writes in one transaction and then wakes the readers of the run's events. */
export type WriteRun = <T>(runId: string, write: (tx: Db) => Promise<T>) => Promise<T>;

export const createWriteRun =
  (db: Db, changed: (runId: string) => void): WriteRun =>
  async (runId, write) => {
    const result = await transaction(db, write);
    changed(runId);
    return result;
  };
