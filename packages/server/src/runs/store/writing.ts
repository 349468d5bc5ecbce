import type { Db } from "../../stores/relational.ts";
import { transaction } from "../../stores/transaction.ts";
import type { SimulationRow } from "../rules.ts";

type RunOfProject = Pick<SimulationRow, "run_id" | "project_id">;

/** Runs `write` in a transaction of the run's project, and then wakes the requests that wait for events of the run. */
export type WriteRun = <T>(run: RunOfProject, write: (tx: Db) => Promise<T>) => Promise<T>;

export const createWriteRun =
  (db: Db, changed: (runId: string) => void): WriteRun =>
  async ({ run_id, project_id }, write) => {
    const result = await transaction(db, project_id, write);
    changed(run_id);
    return result;
  };
