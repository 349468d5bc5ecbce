import type { SuiteStore } from "../../authoring/suites/store.ts";
import type { TestStore } from "../../authoring/test-definitions/store.ts";
import { AppError } from "../../base/errors.ts";
import type { FreezeRun, FrozenRun } from "../plan/freeze.ts";
import { planOf, type ScheduleRow } from "./rules.ts";

type Scheduled = Pick<ScheduleRow, "project_id" | "agent_id" | "connection_id" | "plan">;

/**
 * Plans a run of a schedule with the current versions of its tests. Throws when the run cannot be planned; for a deleted suite or test, the
 * message is about the schedule.
 */
export type FreezeScheduled = (schedule: Scheduled) => Promise<FrozenRun>;

type Needs = { freezeRun: FreezeRun; suites: Pick<SuiteStore, "get">; tests: Pick<TestStore, "get"> };

export const createFreezeScheduled =
  ({ freezeRun, suites, tests }: Needs): FreezeScheduled =>
  async ({ project_id: projectId, agent_id: agentId, connection_id: connectionId, plan }) => {
    const { testIds, ...options } = planOf({ plan });
    const { suiteId } = options;
    if (suiteId !== undefined)
      await suites.get(projectId, suiteId).catch(gone("suite of this schedule", "suite, tags or tests"));
    const current = testIds?.map(
      async (id) => (await tests.get(projectId, id).catch(gone(`test ${id}`, "tests"))).current.id,
    );
    const testVersions = current && (await Promise.all(current));
    return freezeRun({ id: projectId }, { ...options, testVersions, agentId, connectionId });
  };

const gone =
  (what: string, others: string) =>
  (error: unknown): never => {
    if (!(error instanceof AppError) || error.code !== "not_found") throw error;
    throw new AppError("unprocessable", `The ${what} does not exist. Choose other ${others} for the schedule.`);
  };
