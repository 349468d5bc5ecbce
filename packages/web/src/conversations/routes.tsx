import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { projectRoute } from "../frame/parents.ts";
import { oneOf, textOf } from "../search-params.ts";
import { readListSearch } from "./list-search.ts";
import { INSPECTOR_TABS, type InspectorTab } from "./inspector-tabs.ts";
import { readTimelineSearch, type TimelineSearch } from "./timeline/view.ts";

type ConversationSearch = TimelineSearch & { tab?: InspectorTab | undefined; span?: string | undefined };

const conversationsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/conversations",
  validateSearch: readListSearch,
  component: lazyRouteComponent(() => import("./conversations.tsx"), "Conversations"),
});

const conversationRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/conversations/$traceId",
  validateSearch: (search: Record<string, unknown>): ConversationSearch => ({
    ...readTimelineSearch(search),
    tab: oneOf(INSPECTOR_TABS, search["tab"]),
    span: textOf(search["span"]),
  }),
  component: lazyRouteComponent(() => import("./conversation.tsx"), "Conversation"),
});

/** The pages of conversations. */
export const conversationsRoutes = [conversationsRoute, conversationRoute] as const;
