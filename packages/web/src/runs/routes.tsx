import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { readTimelineSearch, type TimelineSearch } from "../conversations/timeline/view.ts";
import { projectRoute } from "../frame/parents.ts";
import { oneOf, textOf } from "../search-params.ts";
import { readListSearch } from "./list-search.ts";
import { readNewRunSearch } from "./run-search.ts";
import { SIMULATION_TABS, type SimulationTab } from "./simulation-tabs.ts";

type RunSearch = { show?: "failing" | undefined };
type CompareSearch = { first?: string | undefined; second?: string | undefined };
type SimulationSearch = TimelineSearch & { tab?: SimulationTab | undefined };

const runsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/runs",
  validateSearch: readListSearch,
  component: lazyRouteComponent(() => import("./runs.tsx"), "Runs"),
});

const newRunRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/runs/new",
  validateSearch: readNewRunSearch,
  component: lazyRouteComponent(() => import("./new-run.tsx"), "NewRun"),
});

const compareRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/runs/compare",
  validateSearch: (search: Record<string, unknown>): CompareSearch => ({
    first: textOf(search["first"]),
    second: textOf(search["second"]),
  }),
  component: lazyRouteComponent(() => import("./compare.tsx"), "Compare"),
});

const runRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/runs/$runId",
  validateSearch: (search: Record<string, unknown>): RunSearch => ({ show: oneOf(["failing"], search["show"]) }),
  component: lazyRouteComponent(() => import("./run.tsx"), "RunPage"),
});

const simulationRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/runs/$runId/simulations/$simulationId",
  validateSearch: (search: Record<string, unknown>): SimulationSearch => ({
    ...readTimelineSearch(search),
    tab: oneOf(SIMULATION_TABS, search["tab"]),
  }),
  component: lazyRouteComponent(() => import("./simulation.tsx"), "SimulationPage"),
});

/** The pages of runs. */
export const runsRoutes = [runsRoute, newRunRoute, compareRoute, runRoute, simulationRoute] as const;
