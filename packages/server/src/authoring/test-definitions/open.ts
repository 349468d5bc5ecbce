import type { ServiceContext } from "../../context.ts";
import type { PersonaStore } from "../personas/store.ts";
import type { SuiteStore } from "../suites/store.ts";
import { testRoutes } from "./routes.ts";
import { createTestStore } from "./store.ts";

/** `hasJudge`: whether a language model judges the behaviors that no check can decide. */
export function openTests({ db }: ServiceContext, suites: SuiteStore, personas: PersonaStore, hasJudge: boolean) {
  const store = createTestStore(db, suites, personas);
  return {
    store,
    projectsOf: { test: store.findProjects, testVersion: store.findProjectsOfVersion },
    routes: testRoutes(store, suites, hasJudge),
  };
}

export type Tests = ReturnType<typeof openTests>;
