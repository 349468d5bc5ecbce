import type { ConnectionStore } from "../agents/connections/store.ts";
import type { GradeConversation } from "../graders/grade-conversation.ts";
import type { PinnedGrader } from "../graders/grader.ts";
import type { LanguageModel } from "../language-model/language-model.ts";
import type { Log } from "../log.ts";
import type { MockToolStore } from "../mock-tools/store.ts";
import type { PersonaStore } from "../personas/store.ts";
import type { Db } from "../stores/relational.ts";
import type { SealedCredentials } from "../stores/sealed-credentials.ts";
import type { SuiteStore } from "../suites/store.ts";
import type { TestStore } from "../test-definitions/store.ts";
import type { Intake } from "../traces/intake.ts";
import { openChanges } from "./changes.ts";
import { openBridges } from "./lines/platform-b-console.ts";
import { openPlan } from "./plan/freeze.ts";
import { openPrepare } from "./play/prepare.ts";
import { openScheduler } from "./play/scheduler.ts";
import { openSettle } from "./after/grade-simulation.ts";
import { openSimulate } from "./play/simulate.ts";
import { openSimulationTools } from "./play/simulation-tools.ts";
import { openRunStore } from "./store/runs.ts";

type Opened = {
  db: Db;
  log: Log;
  tests: TestStore;
  suites: SuiteStore;
  personas: PersonaStore;
  connections: ConnectionStore;
  mockTools: MockToolStore;
  sealed: SealedCredentials;
  intake: Intake;
  /** The graders that look at a project's simulations now. */
  graders: (projectId: string) => Promise<readonly PinnedGrader[]>;
  grade: GradeConversation;
  model: LanguageModel | undefined;
  platformABaseUrl: string;
  publicUrl: () => string;
};

/** Opens the runs of all projects; `start` goes on with those that an earlier process left. */
export function openRuns(opened: Opened) {
  const { db, log, graders } = opened;
  const changes = openChanges();
  const store = openRunStore(db, changes.changed);
  const bridges = openBridges();
  const tools = openSimulationTools();
  const simulate = openSimulate({
    store,
    log,
    prepare: openPrepare({ ...opened, bridges, tools }),
    ended: (simulationId) => scheduler.grade(simulationId),
    stopRun: (runId) => scheduler.stopRun(runId),
  });
  const settle = openSettle({ ...opened, store, currentGraders: graders });
  const scheduler = openScheduler({ store, log, simulate, grade: settle });
  const plan = openPlan({ ...opened, hasModel: opened.model !== undefined });

  return {
    parts: { store, plan, scheduler, changes, bridges, tools },
    /** Ends the agent's runs; says how many. */
    async cancelOfAgent(agentId: string): Promise<number> {
      const runs = await store.openRunsOfAgent(agentId);
      for (const { id } of runs) {
        await store.cancel(id, "canceled_by_user");
        scheduler.stopRun(id);
      }
      return runs.length;
    },
    /** Agents may call back from now on. */
    start: scheduler.start,
    /** Ends conversations, gradings and waits, before the listener closes to the agents' own calls. */
    stop(): void {
      scheduler.stop();
      changes.end();
    },
    close: scheduler.close,
  };
}
