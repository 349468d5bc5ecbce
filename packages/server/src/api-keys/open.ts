import type { Ground } from "../ground.ts";
import { keyRoutes } from "./routes.ts";
import { openKeyStore } from "./store.ts";

export function openKeys({ db, credentials }: Ground) {
  const store = openKeyStore(db, credentials);
  return { store, routes: keyRoutes(db, store) };
}
