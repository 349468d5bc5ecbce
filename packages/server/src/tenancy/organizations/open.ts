import type { Ground } from "../../ground.ts";
import { organizationRoutes } from "./routes.ts";
import { createOrganizationStore } from "./store.ts";

export function openOrganizations({ db, sealed }: Ground) {
  const store = createOrganizationStore(db);
  return { store, routes: organizationRoutes(store, sealed) };
}
