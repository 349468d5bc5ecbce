import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { projectRoute } from "../shell/parents.ts";
import { readListSearch } from "./list-search.ts";
import { readTimelineSearch } from "./timeline/view.ts";
import { readTurnSearch } from "./turn-search.ts";

const TABS = ["turn", "measures", "quality", "grades", "call"] as const;

const conversationsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/conversations",
  validateSearch: readListSearch,
  component: lazyRouteComponent(() => import("./conversations.tsx"), "Conversations"),
});

const turnsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/conversations/turns",
  validateSearch: readTurnSearch,
  component: lazyRouteComponent(() => import("./turns.tsx"), "Turns"),
});

const conversationRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/conversations/$traceId",
  validateSearch: (search: Record<string, unknown>) => readTimelineSearch(search, TABS),
  component: lazyRouteComponent(() => import("./conversation.tsx"), "Conversation"),
});

export const conversationsRoutes = [conversationsRoute, turnsRoute, conversationRoute] as const;
