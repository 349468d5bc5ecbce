import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { personRoute } from "../shell/parents.ts";

const accountRoute = createRoute({
  getParentRoute: () => personRoute,
  path: "/account",
  component: lazyRouteComponent(() => import("./account.tsx"), "Account"),
});

export const accountRoutes = [accountRoute] as const;
