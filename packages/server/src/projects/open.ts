import type { Ground } from "../ground.ts";
import { projectRoutes } from "./routes.ts";
import { openProjectStore } from "./store.ts";

export function openProjects({ db, credentials }: Ground) {
  const store = openProjectStore(db, credentials);
  return { store, routes: projectRoutes(store) };
}
