import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { projectRoute } from "../shell/parents.ts";

const suiteRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/suites/$suiteId",
  component: lazyRouteComponent(() => import("./suite.tsx"), "Suite"),
});

export const suitesRoutes = [suiteRoute] as const;
