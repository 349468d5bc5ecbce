import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { projectRoute } from "../shell/parents.ts";
import { textOf } from "../search-params.ts";

const schedulesRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/schedules",
  component: lazyRouteComponent(() => import("./schedules.tsx"), "Schedules"),
});

const newScheduleRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/schedules/new",
  validateSearch: (search: Record<string, unknown>): { suite?: string | undefined } => ({
    suite: textOf(search["suite"]),
  }),
  component: lazyRouteComponent(() => import("./new-schedule.tsx"), "NewSchedule"),
});

const scheduleRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/schedules/$scheduleId",
  component: lazyRouteComponent(() => import("./schedule.tsx"), "SchedulePage"),
});

const editScheduleRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/schedules/$scheduleId/edit",
  component: lazyRouteComponent(() => import("./edit-schedule.tsx"), "EditSchedule"),
});

export const schedulesRoutes = [schedulesRoute, newScheduleRoute, scheduleRoute, editScheduleRoute] as const;
