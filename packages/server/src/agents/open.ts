import type { ServiceContext } from "../context.ts";
import { type ConnectionNeeds, connectionRoutes } from "./connections/routes.ts";
import { createConnectionStore } from "./connections/store.ts";
import { type AgentNeeds, agentRoutes } from "./routes.ts";
import { createAgentStore } from "./store/agents.ts";
import { trunkRoutes } from "./trunks/routes.ts";
import { createTrunkStore } from "./trunks/store.ts";

export function openAgents({ db, sealed }: ServiceContext) {
  const connections = createConnectionStore(db, sealed);
  const store = createAgentStore(db, connections);
  const trunks = createTrunkStore(db, sealed);
  return {
    store,
    connections,
    trunks,
    projectsOf: { agent: store.findProjects, trunk: trunks.findProjects },
    routes: (needs: AgentNeeds & ConnectionNeeds) => ({
      ...agentRoutes(store, needs),
      ...connectionRoutes(connections, needs),
      ...trunkRoutes(trunks),
    }),
  };
}

export type Agents = ReturnType<typeof openAgents>;
