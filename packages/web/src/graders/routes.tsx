import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { projectRoute } from "../frame/parents.ts";

const gradersRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/graders",
  component: lazyRouteComponent(() => import("./graders.tsx"), "Graders"),
});

const newGraderRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/graders/new",
  component: lazyRouteComponent(() => import("./new-grader.tsx"), "NewGrader"),
});

const graderRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/graders/$graderId",
  component: lazyRouteComponent(() => import("./grader.tsx"), "GraderPage"),
});

/** The pages of graders. */
export const gradersRoutes = [gradersRoute, newGraderRoute, graderRoute] as const;
