import { openApiDocument } from "@svc/contract";
import type { Conditions } from "../conditions.ts";
import type { Routes } from "../http/operation.ts";
import { presentConditions } from "./present.ts";

type Reachability = { relational: () => boolean; analytics: () => boolean; isStopping: () => boolean };

const statusOf = (answers: boolean) => (answers ? ("reachable" as const) : ("unreachable" as const));

export function healthRoutes(
  reachability: Reachability,
  conditions: Conditions,
): Routes<"health" | "conditions" | "description"> {
  // The first request builds the document: building it at the start would take a fifth of the start time.
  let document: { openapi: "3.1.0" } | undefined;
  return {
    health: {
      get: async ({ http }) => {
        const relational = reachability.relational();
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
      openapi: async () => (document ??= openApiDocument() as { openapi: "3.1.0" }),
    },
  };
}
