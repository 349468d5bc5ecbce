import type { Ground } from "../../ground.ts";
import { mockToolRoutes } from "./routes.ts";
import { createMockToolStore } from "./store.ts";

/** Opens the mock tools of all projects. */
export function openMockTools({ db }: Ground) {
  const store = createMockToolStore(db);
  return { store, projectsOf: { mockTool: store.findProjects }, routes: mockToolRoutes(store) };
}

export type MockTools = ReturnType<typeof openMockTools>;
