import type { Ground } from "../../ground.ts";
import { projectRoutes } from "./routes.ts";
import { createProjectStore } from "./store.ts";

export function openProjects({ db, credentials }: Ground) {
  const store = createProjectStore(db, credentials);
  return { store, routes: projectRoutes(store) };
}
