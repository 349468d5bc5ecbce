import type { Capabilities } from "../capabilities/look-up.ts";
import type { Ground } from "../ground.ts";
import { personaRoutes } from "./routes.ts";
import { openPersonaStore } from "./store.ts";

export function openPersonas({ db }: Ground, capabilities: Pick<Capabilities, "refusalOf">) {
  const store = openPersonaStore(db);
  return { store, routes: personaRoutes(store, capabilities) };
}

export type Personas = ReturnType<typeof openPersonas>;
