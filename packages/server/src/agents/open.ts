import type { ServiceContext } from "../context.ts";
import { type ConnectionNeeds, connectionRoutes } from "./connections/routes.ts";
import { createConnectionStore } from "./connections/store.ts";
import { type AgentNeeds, agentRoutes } from "./routes.ts";
import { createAgentStore } from "./store/agents.ts";

export function openAgents({ db, sealed }: ServiceContext) {
  const connections = createConnectionStore(db, sealed);
  const store = createAgentStore(db, connections);
  return {
    store,
    connections,
    projectsOf: { agent: store.findProjects },
    routes: (needs: AgentNeeds & ConnectionNeeds) => ({
      ...agentRoutes(store, needs),
      ...connectionRoutes(connections, needs),
    }),
  };
}

export type Agents = ReturnType<typeof openAgents>;
