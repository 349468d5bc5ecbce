import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { readTimelineSearch } from "../conversations/timeline/view.ts";
import { projectRoute } from "../shell/parents.ts";
import { oneOf, textOf } from "../search-params.ts";
import { readListSearch, readNewRunSearch } from "./run-search.ts";

type RunSearch = { show?: "failing" | undefined };
type CompareSearch = {
  first?: string | undefined;
  second?: string | undefined;
  /** Id of a simulation of the first run, whose transcript is shown beside that of its partner. */
  pair?: string | undefined;
};

const SIMULATION_TABS = ["verdicts", "also", "tools", "call", "turn"] as const;

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
    pair: textOf(search["pair"]),
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
  validateSearch: (search: Record<string, unknown>) => readTimelineSearch(search, SIMULATION_TABS),
  component: lazyRouteComponent(() => import("./simulation.tsx"), "SimulationPage"),
});

export const runsRoutes = [runsRoute, newRunRoute, compareRoute, runRoute, simulationRoute] as const;
