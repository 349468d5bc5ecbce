import type { Caller, Project } from "../../access/caller.ts";
import { decideConnection } from "../../agents/connections/rules.ts";
import type { AgentStore } from "../../agents/store/agents.ts";
import { AppError } from "../../base/errors.ts";
import type { StartRun } from "../start-run.ts";
import type { SuiteStore } from "../../authoring/suites/store.ts";
import { decideImport } from "../../authoring/test-definitions/rules.ts";
import type { TestStore } from "../../authoring/test-definitions/store.ts";
import { AGENT_NAME, RUN_NAME, SUITE_NAME, TESTS } from "./booking-suite.ts";
import type { SampleRow, SampleStore } from "./store.ts";

const NAMES_TRIED_MAX = 50;

type Needs = {
  store: SampleStore;
  agents: AgentStore;
  suites: SuiteStore;
  tests: TestStore;
  startRun: StartRun;
};

export type SampleMaker = {
  /** Creates the sample and starts its run when the project has none. */
  start: (project: Project, caller: Caller) => Promise<{ sample: SampleRow; isNew: boolean }>;
};

/** Creates the samples of projects. Requests of the same project run one after another, so that it gets one sample. */
export function createSampleMaker({ store, agents, suites, tests, startRun }: Needs): SampleMaker {
  const lastOf = new Map<string, Promise<unknown>>();

  return {
    start: (project, caller) =>
      oneByOne(project.id, async () => {
        const existing = await find(project.id);
        if (existing) return { sample: existing, isNew: false };
        const sample = await make(project, caller);
        await store.put(sample);
        return { sample, isNew: true };
      }),
  };

  async function find(projectId: string): Promise<SampleRow | undefined> {
    const sample = await store.find(projectId);
    if (!sample) return undefined;
    const agent = await agents.get(projectId, sample.agent_id);
    const hasSuite = await suites.get(projectId, sample.suite_id).then(
      () => true,
      () => false,
    );
    return agent.archived_at === null && hasSuite ? sample : undefined;
  }

  async function make(project: Project, caller: Caller): Promise<SampleRow> {
    const owner = { projectId: project.id, organizationId: caller.organizationId };
    const registered = await withFreeName((suffix) =>
      agents.register(owner, { name: `${AGENT_NAME}${suffix}`, platform: "custom", platformAgentId: null }, () =>
        decideConnection("custom", { connectionType: "sample_agent", environment: "sample", config: {} }),
      ),
    );
    const suite = await withFreeName((suffix) => suites.create(project.id, `${SUITE_NAME}${suffix}`));
    await withFreeName((suffix) => {
      const writes = decideImport(TESTS.map((test) => ({ ...test, name: `${test.name}${suffix}` })));
      return tests.import(project.id, writes, { suite: suite.id, createsSuites: false, isDryRun: false });
    });
    const [agentId, connectionId] = [registered.agent.id, registered.connection!.id];
    const run = await startRun(project, caller, {
      suiteId: suite.id,
      agentId,
      connectionId,
      name: RUN_NAME,
      caller: "scripted",
    });
    return {
      project_id: project.id,
      agent_id: agentId,
      connection_id: connectionId,
      suite_id: suite.id,
      run_id: run.id,
      created_at: new Date().toISOString(),
    };
  }

  async function oneByOne<T>(projectId: string, work: () => Promise<T>): Promise<T> {
    const current = (lastOf.get(projectId) ?? Promise.resolve()).then(work, work);
    lastOf.set(projectId, current);
    try {
      return await current;
    } finally {
      if (lastOf.get(projectId) === current) lastOf.delete(projectId);
    }
  }
}

async function withFreeName<T>(create: (suffix: string) => Promise<T>): Promise<T> {
  for (let number = 1; ; number++) {
    try {
      return await create(number === 1 ? "" : ` ${number}`);
    } catch (error) {
      const isTaken = error instanceof AppError && error.code === "name_taken";
      if (!isTaken || number === NAMES_TRIED_MAX) throw error;
    }
  }
}
