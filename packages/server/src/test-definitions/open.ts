import type { Ground } from "../ground.ts";
import type { PersonaStore } from "../personas/store.ts";
import type { SuiteStore } from "../suites/store.ts";
import { testRoutes } from "./routes.ts";
import { createTestStore } from "./store.ts";

export function openTests({ db }: Ground, suites: SuiteStore, personas: PersonaStore) {
  const store = createTestStore(db, suites, personas);
  return { store, routes: testRoutes(store, suites) };
}

export type Tests = ReturnType<typeof openTests>;
