import type { Run } from "@svc/contract";
import type { Db } from "../../stores/relational.ts";
import type { SimulationCount } from "../rules.ts";

export async function findStarters(
  db: Db,
  runIds: readonly string[],
): Promise<Map<string, NonNullable<Run["startedBy"]>>> {
  if (runIds.length === 0) return new Map();
  const rows = await db
    .selectFrom("runs")
    .leftJoin("users", "users.id", "started_by_user_id")
    .leftJoin("api_keys", "api_keys.id", "started_by_key_id")
    .select(["runs.id", "started_by_key_id", "users.name as person", "api_keys.name as key"])
    .where("runs.id", "in", runIds)
    .where("started_by_user_id", "is not", null)
    .execute();
  return new Map(
    rows.map(({ id, started_by_key_id, person, key }) => [
      id,
      started_by_key_id === null ? { kind: "person", name: person } : { kind: "key", name: key },
    ]),
  );
}

export async function countSimulations(db: Db, runIds: readonly string[]): Promise<Map<string, SimulationCount[]>> {
  if (runIds.length === 0) return new Map();
  const rows = await db
    .selectFrom("simulations")
    .select(["run_id", "status", "verdict", "grading"])
    .select(({ fn }) => [
      fn.countAll<number>().as("count"),
      fn.sum<number>("behavior_count").as("behaviors"),
      fn.sum<number>("behaviors_graded").as("decidedBehaviors"),
    ])
    .where("run_id", "in", runIds)
    .groupBy(["run_id", "status", "verdict", "grading"])
    .execute();
  return Map.groupBy(rows, (row) => row.run_id);
}

export async function findScheduleNames(db: Db, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db.selectFrom("schedules").select(["id", "name"]).where("id", "in", ids).execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}
