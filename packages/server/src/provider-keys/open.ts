import type { Ground } from "../ground.ts";
import { providerKeyRoutes } from "./routes.ts";
import { openProviderKeyStore } from "./store.ts";

export function openProviderKeys({ db, sealed }: Ground) {
  const store = openProviderKeyStore(db, sealed);
  return { store, routes: providerKeyRoutes(store) };
}
