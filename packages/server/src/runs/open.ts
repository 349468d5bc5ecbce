import type { Agents } from "../agents/open.ts";
import { pinGrader } from "../graders/grader.ts";
import type { Graders } from "../graders/open.ts";
import type { Ground } from "../ground.ts";
import type { LanguageModel } from "../language-model/language-model.ts";
import type { MockTools } from "../mock-tools/open.ts";
import type { Personas } from "../personas/open.ts";
import type { Suites } from "../suites/open.ts";
import type { Tests } from "../test-definitions/open.ts";
import type { Traces } from "../traces/open.ts";
import { openRuns as openAllRuns } from "./open-runs.ts";
import { runRoutes } from "./routes.ts";

type UsedFeatures = {
  tests: Tests;
  suites: Suites;
  personas: Personas;
  mockTools: MockTools;
  agents: Agents;
  graders: Graders;
  traces: Traces;
  model: LanguageModel | undefined;
};

export function openRuns({ config, db, log, sealed }: Ground, used: UsedFeatures) {
  let publicUrl = config.baseUrl ?? `http://${config.host}:${config.port}`;
  const { parts, ...runs } = openAllRuns({
    db,
    log,
    sealed,
    tests: used.tests.store,
    suites: used.suites.store,
    personas: used.personas.store,
    connections: used.agents.connections,
    mockTools: used.mockTools.store,
    intake: used.traces.intake,
    graders: async (projectId) => (await used.graders.store.listForSimulations(projectId)).map(pinGrader),
    grade: used.graders.grade,
    model: used.model,
    platformABaseUrl: config.platformABaseUrl,
    publicUrl: () => publicUrl,
  });
  return {
    ...runs,
    simulationIds: parts.store.simulationIds,
    findSimulation: parts.store.findSimulation,
    routes: runRoutes(parts),
    /** Plays runs from now on; agents call mocked tools at `listeningUrl` unless a base URL is configured. */
    start(listeningUrl: string): void {
      publicUrl = config.baseUrl ?? listeningUrl;
      runs.start();
    },
  };
}
