import type { Ground } from "../../ground.ts";
import { suiteRoutes, type TestsOfSuites } from "./routes.ts";
import { createSuiteStore } from "./store.ts";

export function openSuites({ db }: Ground) {
  const store = createSuiteStore(db);
  return {
    store,
    projectsOf: { suite: store.findProjects },
    routes: (tests: TestsOfSuites) => suiteRoutes(store, tests),
  };
}

export type Suites = ReturnType<typeof openSuites>;
