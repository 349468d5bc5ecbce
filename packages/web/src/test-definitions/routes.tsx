import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { projectRoute } from "../shell/parents.ts";
import { countOf, textOf } from "../search-params.ts";

const testsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/tests",
  validateSearch: ({ search }: Record<string, unknown>): { search?: string | undefined } => ({
    search: textOf(search),
  }),
  component: lazyRouteComponent(() => import("./tests.tsx"), "Tests"),
});

type NewTestSearch = {
  suite?: string | undefined;
  conversation?: string | undefined;
  /** Ids of the conversations that get a test after this one, separated by commas. */
  following?: string | undefined;
  /** Whether the new test expects what failed in the conversation. */
  failing?: true | undefined;
  copy?: string | undefined;
};

const newTestRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/tests/new",
  validateSearch: ({ suite, conversation, following, failing, copy }: Record<string, unknown>): NewTestSearch => ({
    suite: textOf(suite),
    conversation: textOf(conversation),
    following: textOf(following),
    failing: textOf(failing) === "true" ? true : undefined,
    copy: textOf(copy),
  }),
  component: lazyRouteComponent(() => import("./new-test.tsx"), "NewTest"),
});

const testRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/tests/$testId",
  validateSearch: ({ from, to }: Record<string, unknown>): { from?: number | undefined; to?: number | undefined } => ({
    from: countOf(from),
    to: countOf(to),
  }),
  component: lazyRouteComponent(() => import("./test.tsx"), "TestPage"),
});

export const testDefinitionsRoutes = [testsRoute, newTestRoute, testRoute] as const;
