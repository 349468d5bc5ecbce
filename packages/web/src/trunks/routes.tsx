import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { projectRoute } from "../shell/parents.ts";

const trunksRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/trunks",
  component: lazyRouteComponent(() => import("./trunks.tsx"), "Trunks"),
});

export const trunksRoutes = [trunksRoute] as const;
