import type { Ground } from "../ground.ts";
import { suiteRoutes } from "./routes.ts";
import { openSuiteStore } from "./store.ts";

export function openSuites({ db }: Ground) {
  const store = openSuiteStore(db);
  return { store, routes: suiteRoutes(store) };
}

export type Suites = ReturnType<typeof openSuites>;
