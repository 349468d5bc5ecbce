import type { Ground } from "../ground.ts";
import { connectionRoutes } from "./connections/routes.ts";
import { openConnectionStore } from "./connections/store.ts";
import { type AgentNeeds, agentRoutes } from "./routes.ts";
import { openAgentStore } from "./store.ts";

export function openAgents({ db, sealed }: Ground) {
  const connections = openConnectionStore(db, sealed);
  const store = openAgentStore(db, connections);
  return {
    store,
    connections,
    routes: (needs: AgentNeeds) => ({ ...agentRoutes(store, needs), ...connectionRoutes(connections) }),
  };
}

export type Agents = ReturnType<typeof openAgents>;
