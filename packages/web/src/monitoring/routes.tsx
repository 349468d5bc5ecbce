import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { projectRoute } from "../shell/parents.ts";

const monitoringRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/monitoring",
  component: lazyRouteComponent(() => import("./monitoring.tsx"), "Monitoring"),
});

const setupRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/monitoring/platform_a/setup",
  component: lazyRouteComponent(() => import("./setup.tsx"), "Setup"),
});

export const monitoringRoutes = [monitoringRoute, setupRoute] as const;
