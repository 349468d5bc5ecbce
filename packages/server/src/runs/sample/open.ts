import type { Agents } from "../../agents/open.ts";
import type { Ground } from "../../ground.ts";
import type { Runs } from "../open.ts";
import type { Suites } from "../../authoring/suites/open.ts";
import type { Tests } from "../../authoring/test-definitions/open.ts";
import { sampleRoutes } from "./routes.ts";
import { createSampleMaker } from "./sample.ts";
import { createSampleStore } from "./store.ts";

type UsedFeatures = { agents: Agents; suites: Suites; tests: Tests; runs: Runs };

/** Opens the samples of all projects. */
export function openSample({ db }: Ground, { agents, suites, tests, runs }: UsedFeatures) {
  const maker = createSampleMaker({
    store: createSampleStore(db),
    agents: agents.store,
    suites: suites.store,
    tests: tests.store,
    startRun: runs.startRun,
  });
  return { routes: sampleRoutes(maker) };
}
