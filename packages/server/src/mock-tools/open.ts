import type { Ground } from "../ground.ts";
import { mockToolRoutes } from "./routes.ts";
import { openMockToolStore } from "./store.ts";

export function openMockTools({ db }: Ground) {
  const store = openMockToolStore(db);
  return { store, routes: mockToolRoutes(store) };
}

export type MockTools = ReturnType<typeof openMockTools>;
