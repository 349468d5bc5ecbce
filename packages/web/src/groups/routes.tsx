import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { oneOf, textOf } from "../search-params.ts";
import { projectRoute } from "../shell/parents.ts";
import { SORTS, SOURCES, STATES, type GroupsSearch } from "./group-words.ts";

const groupsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/groups",
  validateSearch: (search: Record<string, unknown>): GroupsSearch => ({
    state: oneOf(STATES, search["state"]),
    agent: textOf(search["agent"]),
    source: oneOf(SOURCES, search["source"]),
    sort: oneOf(SORTS, search["sort"]),
  }),
  component: lazyRouteComponent(() => import("./groups.tsx"), "Groups"),
});

const groupRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/groups/$groupId",
  component: lazyRouteComponent(() => import("./group.tsx"), "GroupPage"),
});

export const groupsRoutes = [groupsRoute, groupRoute] as const;
