import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { projectRoute } from "../frame/parents.ts";
import { oneOf, optional, textOf } from "../search-params.ts";

const runsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/runs",
  component: lazyRouteComponent(() => import("./runs.tsx"), "Runs"),
});

const newRunRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/runs/new",
  validateSearch: (search: Record<string, unknown>) =>
    optional({
      agent: textOf(search["agent"]),
      connection: textOf(search["connection"]),
      again: textOf(search["again"]),
      test: textOf(search["test"]),
      suite: textOf(search["suite"]),
    }),
  component: lazyRouteComponent(() => import("./new-run.tsx"), "NewRun"),
});

const compareRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/runs/compare",
  validateSearch: (search: Record<string, unknown>) =>
    optional({ first: textOf(search["first"]), second: textOf(search["second"]) }),
  component: lazyRouteComponent(() => import("./compare.tsx"), "Compare"),
});

const runRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/runs/$runId",
  validateSearch: (search: Record<string, unknown>) => optional({ show: oneOf(["all", "failing"], search["show"]) }),
  component: lazyRouteComponent(() => import("./run.tsx"), "RunPage"),
});

const simulationRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/runs/$runId/simulations/$simulationId",
  component: lazyRouteComponent(() => import("./simulation.tsx"), "SimulationPage"),
});

/** The pages of runs. */
export const runsRoutes = [runsRoute, newRunRoute, compareRoute, runRoute, simulationRoute] as const;
