import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { projectRoute } from "../shell/parents.ts";
import { countOf, oneOf } from "../search-params.ts";

const gradersRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/graders",
  validateSearch: (search: Record<string, unknown>): { archived?: "true" | undefined } => ({
    archived: oneOf(["true"], search["archived"]),
  }),
  component: lazyRouteComponent(() => import("./graders.tsx"), "Graders"),
});

const newGraderRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/graders/new",
  component: lazyRouteComponent(() => import("./new-grader.tsx"), "NewGrader"),
});

type GraderSearch = { from?: number | undefined; to?: number | undefined; labels?: "other" | undefined };

const graderRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/graders/$graderId",
  validateSearch: (search: Record<string, unknown>): GraderSearch => ({
    from: countOf(search["from"]),
    to: countOf(search["to"]),
    labels: oneOf(["other"], search["labels"]),
  }),
  component: lazyRouteComponent(() => import("./grader.tsx"), "GraderPage"),
});

export const gradersRoutes = [gradersRoute, newGraderRoute, graderRoute] as const;
