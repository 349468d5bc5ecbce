import type { Run } from "@svc/contract";
import type { AgentStore } from "../../agents/store/agents.ts";
import type { SuiteStore } from "../../authoring/suites/store.ts";
import type { TestStore } from "../../authoring/test-definitions/store.ts";
import type { RepeatedWork } from "../../base/async/every.ts";
import type { Log } from "../../base/log/log.ts";
import type { FreezeRun } from "../plan/freeze.ts";
import type { Scheduler } from "../play/scheduler.ts";
import type { RunRow } from "../rules.ts";
import type { RunStore } from "../store/runs.ts";
import { createFreezeScheduled } from "./freeze-scheduled.ts";
import { scheduleRoutes } from "./routes.ts";
import { startDueRuns } from "./start-due.ts";
import type { ScheduleStore } from "./store.ts";

type Needs = {
  store: ScheduleStore;
  runs: RunStore;
  freezeRun: FreezeRun;
  scheduler: Scheduler;
  agents: AgentStore;
  suites: SuiteStore;
  tests: TestStore;
  presentRun: (run: RunRow) => Promise<Run>;
  now: () => number;
  lookEveryMs: number;
  log: Log;
};

/** Opens the schedules. No run starts automatically before `start`. */
export function openSchedules({ freezeRun, suites, tests, ...needs }: Needs) {
  const freeze = createFreezeScheduled({ freezeRun, suites, tests });
  let looking: RepeatedWork | undefined;
  return {
    routes: scheduleRoutes({ ...needs, suites, freeze }),
    start: (signal: AbortSignal) => void (looking ??= startDueRuns({ ...needs, freeze, signal })),
    idle: async () => looking?.idle(),
  };
}
