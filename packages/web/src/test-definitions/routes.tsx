import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { projectRoute } from "../frame/parents.ts";

const testsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/tests",
  component: lazyRouteComponent(() => import("./tests.tsx"), "Tests"),
});

const newTestRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/tests/new",
  component: lazyRouteComponent(() => import("./new-test.tsx"), "NewTest"),
});

const testRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/tests/$testId",
  component: lazyRouteComponent(() => import("./test.tsx"), "TestPage"),
});

/** The pages of test definitions. */
export const testDefinitionsRoutes = [testsRoute, newTestRoute, testRoute] as const;
