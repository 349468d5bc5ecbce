import type { ServiceContext } from "../../context.ts";
import type { LanguageModels } from "../../grading/language-model/open.ts";
import type { PersonaStore } from "../personas/store.ts";
import type { SuiteStore } from "../suites/store.ts";
import { createAskForDrafts } from "./ask-for-drafts.ts";
import { testRoutes } from "./routes.ts";
import { createTestStore } from "./store.ts";

/** A language model judges the behaviors that no check can decide, and drafts tests. */
export function openTests(
  { db }: ServiceContext,
  suites: SuiteStore,
  personas: PersonaStore,
  { ofOrganization }: LanguageModels,
) {
  const store = createTestStore(db, suites, personas);
  return {
    store,
    projectsOf: { test: store.findProjects, testVersion: store.findProjectsOfVersion },
    routes: testRoutes(store, suites, ofOrganization, createAskForDrafts(db, ofOrganization)),
  };
}

export type Tests = ReturnType<typeof openTests>;
