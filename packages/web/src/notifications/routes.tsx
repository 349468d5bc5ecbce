import { DELIVERY_STATES, type DeliveryState, EVENT_TYPES } from "@svc/contract/constants";
import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { oneOf, optional, textOf } from "../search-params.ts";
import { projectRoute } from "../shell/parents.ts";

const notificationsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/notifications",
  validateSearch: (search: Record<string, unknown>) =>
    optional({
      destination: textOf(search["destination"]),
      state: oneOf(Object.keys(DELIVERY_STATES) as DeliveryState[], search["state"]),
      event: oneOf(EVENT_TYPES, search["event"]),
    }),
  component: lazyRouteComponent(() => import("./notifications.tsx"), "Notifications"),
});

export const notificationsRoutes = [notificationsRoute] as const;
