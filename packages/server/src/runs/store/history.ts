import { sql } from "kysely";
import { dialectOf } from "../../stores/dialect.ts";
import type { Db } from "../../stores/relational.ts";

const RUNS_READ = 10;

/** Mean durations and costs of simulations in the newest runs over one connection. */
export type RunHistory = {
  /** Mean duration of a completed simulation in seconds, by the test's id. */
  secondsOfTest: ReadonlyMap<string, number>;
  /** Mean duration of all these simulations in seconds; null when there is none. */
  seconds: number | null;
  /** Mean cost of the judge for one simulation; null when no cost is known. */
  judgeCost: number | null;
};

export type HistoryStore = {
  readHistory: (projectId: string, connectionId: string) => Promise<RunHistory>;
};

export function createHistoryStore(db: Db): HistoryStore {
  const newestRuns = (projectId: string, connectionId: string) =>
    db
      .selectFrom("runs")
      .select("id")
      .where("project_id", "=", projectId)
      .where("connection_id", "=", connectionId)
      .orderBy("id", "desc")
      .limit(RUNS_READ);

  return {
    async readHistory(projectId, connectionId) {
      const tests = await db
        .selectFrom("simulations")
        .select("test_id")
        .select(({ fn }) => fn.countAll<number>().as("count"))
        .select(sql<number>`sum(${dialectOf(db).secondsBetween("started_at", "ended_at")})`.as("seconds"))
        .where("run_id", "in", newestRuns(projectId, connectionId))
        .where("status", "=", "completed")
        .where("started_at", "is not", null)
        .groupBy("test_id")
        .execute();
      const judged = await db
        .selectFrom("runs")
        .select(({ fn }) => fn.sum<number | null>("judge_cost").as("cost"))
        .select(sql<number>`sum((SELECT count(*) FROM simulations WHERE run_id = runs.id)) `.as("simulations"))
        .where("id", "in", newestRuns(projectId, connectionId))
        .where("ended_at", "is not", null)
        .where("judge_requests", ">", 0)
        .where("judge_cost", "is not", null)
        .executeTakeFirstOrThrow();
      const played = tests.reduce((sum, { count }) => sum + count, 0);
      return {
        secondsOfTest: new Map(tests.map(({ test_id, seconds, count }) => [test_id, seconds / count])),
        seconds: played === 0 ? null : tests.reduce((sum, { seconds }) => sum + seconds, 0) / played,
        judgeCost: judged.cost === null ? null : judged.cost / judged.simulations,
      };
    },
  };
}
