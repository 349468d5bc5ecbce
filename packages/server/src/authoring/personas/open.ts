import type { Capabilities } from "../../voice/capabilities/look-up.ts";
import type { ServiceContext } from "../../context.ts";
import type { Speech } from "../../voice/speech/open.ts";
import { personaRoutes, type TestsOfPersonas } from "./routes.ts";
import { createPersonaStore } from "./store.ts";

type UsedFeatures = { capabilities: Pick<Capabilities, "refusalOf">; speech: Pick<Speech, "voiceSampleOf"> };

export function openPersonas({ db }: ServiceContext, { capabilities, speech }: UsedFeatures) {
  const store = createPersonaStore(db);
  return {
    store,
    projectsOf: { persona: store.findProjects, personaVersion: store.findProjectsOfVersion },
    routes: (tests: TestsOfPersonas) =>
      personaRoutes({ store, tests, capabilities, voiceSampleOf: speech.voiceSampleOf }),
  };
}

export type Personas = ReturnType<typeof openPersonas>;
