import type { Db } from "../../stores/relational.ts";

/** A graded simulation with the number of its gradings. */
type GradedSimulationRow = { id: string; run_id: string; gradings: number };

/** Returns at most `limit` graded simulations of the project after the simulation `after`, in the order of their ids. */
export async function listGradedSimulations(
  db: Db,
  projectId: string,
  after: string,
  limit: number,
): Promise<GradedSimulationRow[]> {
  return db
    .selectFrom("simulations")
    .innerJoin("runs", "runs.id", "simulations.run_id")
    .select(["simulations.id", "run_id", "gradings"])
    .where("runs.project_id", "=", projectId)
    .where("gradings", ">", 0)
    .where("simulations.id", ">", after)
    .orderBy("simulations.id")
    .limit(limit)
    .execute();
}
