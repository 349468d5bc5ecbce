import { REVIEW_REASON_NAMES, REVIEW_STATES } from "@svc/contract/constants";
import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { readTimelineSearch } from "../conversations/timeline/view.ts";
import { oneOf, optional, textOf } from "../search-params.ts";
import { projectRoute } from "../shell/parents.ts";

const reviewRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: "/review",
  validateSearch: (search: Record<string, unknown>) =>
    optional({
      ...readTimelineSearch(search, []),
      view: oneOf(["items", "settings"], search["view"]),
      item: textOf(search["item"]),
      reason: oneOf(REVIEW_REASON_NAMES, search["reason"]),
      state: oneOf(REVIEW_STATES, search["state"]),
    }),
  component: lazyRouteComponent(() => import("./review.tsx"), "Review"),
});

export const reviewRoutes = [reviewRoute] as const;
