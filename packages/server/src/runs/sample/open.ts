import type { ProjectSample } from "@svc/contract";
import type { Agents } from "../../agents/open.ts";
import type { Suites } from "../../authoring/suites/open.ts";
import type { Tests } from "../../authoring/test-definitions/open.ts";
import type { ServiceContext } from "../../context.ts";
import type { Routes } from "../../http/operation.ts";
import type { Runs } from "../open.ts";
import { createSampleMaker, type SampleMaker } from "./sample.ts";
import { createSampleStore, type SampleRow } from "./store.ts";

type UsedFeatures = { agents: Agents; suites: Suites; tests: Tests; runs: Runs };

export function openSample({ db }: ServiceContext, { agents, suites, tests, runs }: UsedFeatures) {
  const maker = createSampleMaker({
    store: createSampleStore(db),
    agents: agents.store,
    suites: suites.store,
    tests: tests.store,
    startRun: runs.startRun,
  });
  return { routes: sampleRoutes(maker) };
}

function sampleRoutes(maker: SampleMaker): Routes<"sample"> {
  return {
    sample: {
      start: async ({ project, caller, http }) => {
        const { sample, isNew } = await maker.start(project, caller);
        if (!isNew) http.state.status = 200;
        return { sample: presentSample(sample) };
      },
    },
  };
}

const presentSample = (row: SampleRow): ProjectSample => ({
  agentId: row.agent_id,
  connectionId: row.connection_id,
  suiteId: row.suite_id,
  runId: row.run_id,
  createdAt: row.created_at,
});
