import type { Ground } from "../ground.ts";
import { organizationRoutes } from "./routes.ts";
import { openOrganizationStore } from "./store.ts";

export function openOrganizations({ db, sealed }: Ground) {
  const store = openOrganizationStore(db);
  return { store, routes: organizationRoutes(store, sealed) };
}
