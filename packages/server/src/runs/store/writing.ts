import type { Db } from "../../stores/relational.ts";
import { transaction } from "../../stores/transaction.ts";

/** One transaction on a run; whoever waits for the run's events is told afterwards. */
export type Writing = <T>(runId: string, write: (tx: Db) => Promise<T>) => Promise<T>;

/** Rows of one statement. */
export const INSERT_ROWS = 200;

/** `changed` is told of every run whose events grew. */
export const openWriting =
  (db: Db, changed: (runId: string) => void): Writing =>
  async (runId, write) => {
    const result = await transaction(db, write);
    changed(runId);
    return result;
  };
