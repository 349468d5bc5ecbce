import type { Tally } from "../../grading/statistics/pass-rates.ts";
import { type Page, type PageRequest, readPage } from "../../stores/page.ts";
import type { Db } from "../../stores/relational.ts";
import type { RunRow } from "../rules.ts";
import { type RunWithVerdicts, testTallies, type VerdictCount } from "../verdict-counts.ts";

type TestFilter = { testId: string; testVersionId?: string | undefined; agentId?: string | undefined };

export type PassRateStore = {
  listVerdictsOfTest: (projectId: string, filter: TestFilter, page: PageRequest) => Promise<Page<RunWithVerdicts>>;
  listVerdictsOfAgent: (projectId: string, agentId: string, page: PageRequest) => Promise<Page<RunWithVerdicts>>;
  tallyTests: (runIds: readonly string[]) => Promise<Map<string, Tally[]>>;
  /** Returns the agent's last runs with a final verdict of the test version, up to and including `run`, oldest first. */
  listLastRuns: (
    run: Pick<RunRow, "id" | "agent_id">,
    test: { testId: string; testVersionId: string },
    limit: number,
  ) => Promise<RunWithVerdicts[]>;
  findLastRun: (
    testId: string,
    agentId: string | undefined,
  ) => Promise<{ id: string; agent_id: string; testVersionId: string } | undefined>;
};

export function createPassRateStore(db: Db): PassRateStore {
  return {
    async listVerdictsOfTest(projectId, { testId, testVersionId, agentId }, page) {
      let runs = db
        .selectFrom("runs")
        .selectAll()
        .where("project_id", "=", projectId)
        .where("id", "in", (eb) => {
          const ofTest = eb.selectFrom("simulations").select("run_id").where("test_id", "=", testId);
          return testVersionId === undefined ? ofTest : ofTest.where("test_version_id", "=", testVersionId);
        });
      if (agentId !== undefined) runs = runs.where("agent_id", "=", agentId);
      return withVerdicts(await readPage(runs, page), testId, testVersionId);
    },

    async listVerdictsOfAgent(projectId, agentId, page) {
      const runs = db
        .selectFrom("runs")
        .selectAll()
        .where("project_id", "=", projectId)
        .where("agent_id", "=", agentId);
      return withVerdicts(await readPage(runs, page), undefined, undefined);
    },

    async tallyTests(runIds) {
      const counts = await countVerdicts(runIds, undefined, undefined);
      return new Map([...counts].map(([runId, verdicts]) => [runId, testTallies(verdicts)]));
    },

    async findLastRun(testId, agentId) {
      let query = db
        .selectFrom("simulations")
        .innerJoin("runs", "runs.id", "run_id")
        .select(["run_id as id", "agent_id", "test_version_id as testVersionId"])
        .where("test_id", "=", testId)
        .where("simulations.status", "!=", "canceled")
        .where("grading", "=", "settled")
        .where("verdict", "is not", null);
      if (agentId !== undefined) query = query.where("agent_id", "=", agentId);
      return query.orderBy("run_id", "desc").limit(1).executeTakeFirst();
    },

    async listLastRuns(run, { testId, testVersionId }, limit) {
      const runIds = await db
        .selectFrom("simulations")
        .innerJoin("runs", "runs.id", "run_id")
        .select("run_id")
        .where("test_id", "=", testId)
        .where("test_version_id", "=", testVersionId)
        .where("agent_id", "=", run.agent_id)
        .where("run_id", "<=", run.id)
        .where("grading", "=", "settled")
        .where("verdict", "is not", null)
        .groupBy("run_id")
        .orderBy("run_id", "desc")
        .limit(limit)
        .execute();
      const ids = runIds.map(({ run_id }) => run_id);
      const items = await db.selectFrom("runs").selectAll().where("id", "in", ids).orderBy("id").execute();
      return (await withVerdicts({ items, next: null }, testId, testVersionId)).items;
    },
  };

  async function withVerdicts(
    { items, next }: Page<RunRow>,
    testId: string | undefined,
    testVersionId: string | undefined,
  ): Promise<Page<RunWithVerdicts>> {
    const counts = await countVerdicts(
      items.map(({ id }) => id),
      testId,
      testVersionId,
    );
    return { items: items.map((run) => ({ run, verdicts: counts.get(run.id) ?? [] })), next };
  }

  async function countVerdicts(
    runIds: readonly string[],
    testId: string | undefined,
    testVersionId: string | undefined,
  ): Promise<Map<string, VerdictCount[]>> {
    if (runIds.length === 0) return new Map();
    let query = db
      .selectFrom("simulations")
      .select(["run_id", "test_id as testId", "test_version_id as testVersionId", "grading", "verdict"])
      .select((eb) => eb.fn.countAll<number>().as("count"))
      .where("run_id", "in", runIds)
      .where("status", "!=", "canceled")
      .groupBy(["run_id", "test_id", "test_version_id", "grading", "verdict"]);
    if (testId !== undefined) query = query.where("test_id", "=", testId);
    if (testVersionId !== undefined) query = query.where("test_version_id", "=", testVersionId);
    const rows = await query.execute();
    const counts = rows.map(({ grading, verdict, ...row }) => ({
      ...row,
      verdict: grading === "settled" ? (verdict ?? "not_graded") : null,
    }));
    return Map.groupBy(counts, ({ run_id }) => run_id);
  }
}
