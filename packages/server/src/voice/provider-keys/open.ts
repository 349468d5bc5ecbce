import type { Ground } from "../../ground.ts";
import { providerKeyRoutes } from "./routes.ts";
import { createProviderKeyStore } from "./store.ts";

export function openProviderKeys({ db, sealed }: Ground) {
  const store = createProviderKeyStore(db, sealed);
  return { store, routes: providerKeyRoutes(store) };
}
