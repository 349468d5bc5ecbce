import type { Conditions } from "../../base/conditions.ts";
import type { Routes } from "../../http/operation.ts";
import type { Relational } from "../../stores/relational.ts";
import type { ApiDocument } from "./document.ts";
import { presentConditions } from "./present.ts";

type Reachability = {
  relational: Pick<Relational, "embedded" | "reachable">;
  analytics: { engine: "duckdb" | "clickhouse"; reachable: () => boolean };
  isStopping: () => boolean;
};

const RETRY_AFTER_SECONDS = 1;

const statusOf = (answers: boolean) => (answers ? ("reachable" as const) : ("unreachable" as const));

export function healthRoutes(
  reachability: Reachability,
  conditions: Conditions,
  document: () => ApiDocument,
): Routes<"health" | "conditions" | "description"> {
  return {
    health: {
      get: async ({ http }) => {
        const relational = await reachability.relational.reachable();
        const analytics = reachability.analytics.reachable();
        const ok = relational && analytics && !reachability.isStopping();
        http.state.status = ok ? 200 : 503;
        if (!ok) http.set("Retry-After", String(RETRY_AFTER_SECONDS));
        return {
          status: ok ? ("ok" as const) : ("unavailable" as const),
          degraded: conditions.list().some(({ degrades }) => degrades),
          relational_store: statusOf(relational),
          relational_engine:
            reachability.relational.embedded === undefined ? ("postgresql" as const) : ("sqlite" as const),
          analytics_store: statusOf(analytics),
          analytics_engine: reachability.analytics.engine,
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
