import type { Capabilities } from "../capabilities/look-up.ts";
import type { Ground } from "../ground.ts";
import { personaRoutes, type TestsOfPersonas } from "./routes.ts";
import { createPersonaStore } from "./store.ts";

export function openPersonas({ db }: Ground, capabilities: Pick<Capabilities, "refusalOf">) {
  const store = createPersonaStore(db);
  return {
    store,
    projectsOf: { persona: store.findProjects, personaVersion: store.findProjectsOfVersion },
    routes: (tests: TestsOfPersonas) => personaRoutes(store, tests, capabilities),
  };
}

export type Personas = ReturnType<typeof openPersonas>;
