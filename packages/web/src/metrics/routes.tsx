import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { projectRoute } from "../frame/parents.ts";

const metricsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/metrics",
  component: lazyRouteComponent(() => import("./metrics.tsx"), "Metrics"),
});

/** The pages of metrics. */
export const metricsRoutes = [metricsRoute] as const;
