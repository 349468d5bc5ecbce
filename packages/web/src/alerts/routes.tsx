import { createRoute, lazyRouteComponent } from "@tanstack/react-router";

import { textOf } from "../search-params.ts";
import { projectRoute } from "../shell/parents.ts";

const alertsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/alerts",
  component: lazyRouteComponent(() => import("./alerts.tsx"), "Alerts"),
});

const alertRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/alerts/$alertId",
  component: lazyRouteComponent(() => import("./alert.tsx"), "AlertPage"),
});

const newAlertRuleRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/alerts/rules/new",
  validateSearch: (search: Record<string, unknown>): { agent?: string | undefined } => ({
    agent: textOf(search["agent"]),
  }),
  component: lazyRouteComponent(() => import("./new-rule.tsx"), "NewAlertRule"),
});

const alertRuleRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/alerts/rules/$alertRuleId",
  component: lazyRouteComponent(() => import("./rule.tsx"), "AlertRulePage"),
});

export const alertsRoutes = [alertsRoute, alertRoute, newAlertRuleRoute, alertRuleRoute] as const;
