import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { projectRoute } from "../frame/parents.ts";

const conversationsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/conversations",
  component: lazyRouteComponent(() => import("./conversations.tsx"), "Conversations"),
});

const conversationRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/conversations/$traceId",
  component: lazyRouteComponent(() => import("./conversation.tsx"), "Conversation"),
});

/** The pages of conversations. */
export const conversationsRoutes = [conversationsRoute, conversationRoute] as const;
