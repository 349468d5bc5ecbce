import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { projectRoute } from "../shell/parents.ts";
import { oneOf, textOf } from "../search-params.ts";

type AgentsSearch = {
  search?: string | undefined;
  archived?: "true" | undefined;
  new?: "true" | undefined;
  name?: string | undefined;
};

const agentsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/agents",
  validateSearch: (search: Record<string, unknown>): AgentsSearch => ({
    search: textOf(search["search"]),
    archived: oneOf(["true"], search["archived"]),
    new: oneOf(["true"], search["new"]),
    name: textOf(search["name"]),
  }),
  component: lazyRouteComponent(() => import("./agents.tsx"), "Agents"),
});

const agentRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/agents/$agentId",
  component: lazyRouteComponent(() => import("./agent.tsx"), "AgentPage"),
});

export const agentsRoutes = [agentsRoute, agentRoute] as const;
