import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { projectRoute } from "../frame/parents.ts";

const overviewRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/",
  component: lazyRouteComponent(() => import("./overview.tsx"), "Overview"),
});

/** The pages of overview. */
export const overviewRoutes = [overviewRoute] as const;
