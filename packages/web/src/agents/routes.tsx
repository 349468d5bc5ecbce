import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { projectRoute } from "../frame/parents.ts";

const agentsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/agents",
  component: lazyRouteComponent(() => import("./agents.tsx"), "Agents"),
});

const agentRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/agents/$agentId",
  component: lazyRouteComponent(() => import("./agent.tsx"), "AgentPage"),
});

/** The pages of agents. */
export const agentsRoutes = [agentsRoute, agentRoute] as const;
