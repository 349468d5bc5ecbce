import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { projectRoute } from "../frame/parents.ts";

const runsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/runs",
  component: lazyRouteComponent(() => import("./runs.tsx"), "Runs"),
});

const newRunRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/runs/new",
  component: lazyRouteComponent(() => import("./new-run.tsx"), "NewRun"),
});

const compareRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/runs/compare",
  component: lazyRouteComponent(() => import("./compare.tsx"), "Compare"),
});

const runRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/runs/$runId",
  component: lazyRouteComponent(() => import("./run.tsx"), "RunPage"),
});

const simulationRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/runs/$runId/simulations/$simulationId",
  component: lazyRouteComponent(() => import("./simulation.tsx"), "SimulationPage"),
});

/** The pages of runs. */
export const runsRoutes = [runsRoute, newRunRoute, compareRoute, runRoute, simulationRoute] as const;
