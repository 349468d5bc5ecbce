import type { ServiceContext } from "../../context.ts";
import { suiteRoutes, type TestsOfSuites } from "./routes.ts";
import { createSuiteStore } from "./store.ts";

export function openSuites({ db }: ServiceContext) {
  const store = createSuiteStore(db);
  return {
    store,
    projectsOf: { suite: store.findProjects },
    routes: (tests: TestsOfSuites) => suiteRoutes(store, tests),
  };
}

export type Suites = ReturnType<typeof openSuites>;
