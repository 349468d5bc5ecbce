import type { Ground } from "../../ground.ts";
import { keyRoutes } from "./routes.ts";
import { createKeyStore } from "./store.ts";

export function openKeys({ db, credentials }: Ground) {
  const store = createKeyStore(db, credentials);
  return { store, routes: keyRoutes(db, store) };
}
