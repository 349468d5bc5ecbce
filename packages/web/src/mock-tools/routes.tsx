import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { projectRoute } from "../shell/parents.ts";

const mockToolsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/mock-tools",
  component: lazyRouteComponent(() => import("./mock-tools.tsx"), "MockTools"),
});

export const mockToolsRoutes = [mockToolsRoute] as const;
