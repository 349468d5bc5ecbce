import { CHANNELS } from "@svc/contract/constants";
import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { projectRoute } from "../shell/parents.ts";
import { PERIOD_NAMES } from "../periods.ts";
import { oneOf, optional, textOf } from "../search-params.ts";

const SOURCES = ["production", "simulation"] as const;

const metricsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/metrics",
  validateSearch: (search: Record<string, unknown>) =>
    optional({
      period: oneOf(PERIOD_NAMES, search["period"]),
      source: oneOf(SOURCES, search["source"]),
      agent: textOf(search["agent"]),
      version: textOf(search["version"]),
      channel: oneOf(CHANNELS, search["channel"]),
      lines: oneOf(["versions", "channels"], search["lines"]),
    }),
  component: lazyRouteComponent(() => import("./metrics.tsx"), "Metrics"),
});

const versionsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/metrics/versions",
  validateSearch: (search: Record<string, unknown>) =>
    optional({
      agent: textOf(search["agent"]),
      version: textOf(search["version"]),
      with: textOf(search["with"]),
      period: oneOf(PERIOD_NAMES, search["period"]),
    }),
  component: lazyRouteComponent(() => import("./versions.tsx"), "CompareVersions"),
});

export const metricsRoutes = [metricsRoute, versionsRoute] as const;
