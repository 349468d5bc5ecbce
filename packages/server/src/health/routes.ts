import type { Conditions } from "../conditions.ts";
import type { Routes } from "../http/operation.ts";
import type { ApiDocument } from "./document.ts";
import { presentConditions } from "./present.ts";

type Reachability = {
  relational: () => boolean | Promise<boolean>;
  analytics: () => boolean;
  isStopping: () => boolean;
};

const statusOf = (answers: boolean) => (answers ? ("reachable" as const) : ("unreachable" as const));

export function healthRoutes(
  reachability: Reachability,
  conditions: Conditions,
  document: () => ApiDocument,
): Routes<"health" | "conditions" | "description"> {
  return {
    health: {
      get: async ({ http }) => {
        const relational = await reachability.relational();
        const analytics = reachability.analytics();
        const ok = relational && analytics && !reachability.isStopping();
        http.state.status = ok ? 200 : 503;
        return {
          status: ok ? ("ok" as const) : ("unavailable" as const),
          degraded: conditions.list().some(({ degrades }) => degrades),
          relational_store: statusOf(relational),
          analytics_store: statusOf(analytics),
        };
      },
    },
    conditions: {
      list: async ({ caller }) => ({ conditions: presentConditions(conditions.list(), caller.organizationId) }),
    },
    description: {
      openapi: async () => document(),
    },
  };
}
