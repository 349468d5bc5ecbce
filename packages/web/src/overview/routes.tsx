import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { projectRoute } from "../shell/parents.ts";
import { oneOf } from "../search-params.ts";
import { type Period, PERIOD_NAMES } from "../periods.ts";

const overviewRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/",
  validateSearch: (search: Record<string, unknown>): { period?: Period | undefined } => ({
    period: oneOf(PERIOD_NAMES, search["period"]),
  }),
  component: lazyRouteComponent(() => import("./overview.tsx"), "Overview"),
});

export const overviewRoutes = [overviewRoute] as const;
