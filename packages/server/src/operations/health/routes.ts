import { openApiDocument } from "@svc/contract";
import type * as Wire from "@svc/contract";
import type { Condition, Conditions } from "../../base/conditions.ts";
import type { Routes } from "../../http/operation.ts";
import type { Relational } from "../../stores/relational.ts";
import { type Readiness, readinessOf } from "./readiness-rules.ts";

export type ProcessState = {
  relational: Pick<Relational, "embedded" | "reachable">;
  analytics: { engine: "duckdb" | "clickhouse"; reachable: () => boolean };
  isRebuilding: () => boolean;
  isStopping: () => boolean;
};

const RETRY_AFTER_SECONDS = 1;

const statusOf = (answers: boolean) => (answers ? ("reachable" as const) : ("unreachable" as const));

export function healthRoutes(
  state: ProcessState,
  conditions: Conditions,
  /** Returns the conditions of one organization that are computed from its records and were not reported. */
  recorded: (organizationId: string) => Promise<Condition[]>,
  document: () => ApiDocument,
): Routes<"health" | "readiness" | "conditions" | "description"> {
  return {
    health: {
      get: async ({ http }) => {
        const relational = await state.relational.reachable();
        const analytics = state.analytics.reachable();
        const ok = relational && analytics && !state.isStopping();
        http.state.status = ok ? 200 : 503;
        if (!ok) http.set("Retry-After", String(RETRY_AFTER_SECONDS));
        return {
          status: ok ? ("ok" as const) : ("unavailable" as const),
          degraded: conditions.list().some(({ degrades }) => degrades),
          relational_store: statusOf(relational),
          relational_engine: state.relational.embedded === undefined ? ("postgresql" as const) : ("sqlite" as const),
          analytics_store: statusOf(analytics),
          analytics_engine: state.analytics.engine,
        };
      },
    },
    readiness: {
      get: async ({ http }) => {
        const readiness = await readReadiness(state);
        http.state.status = readiness.status === "ready" ? 200 : 503;
        if (readiness.status !== "ready") http.set("Retry-After", String(RETRY_AFTER_SECONDS));
        return readiness;
      },
    },
    conditions: {
      list: async ({ caller: { organizationId } }) => {
        const all = [...conditions.list(), ...(await recorded(organizationId))];
        return { conditions: presentConditions(all, organizationId) };
      },
    },
    description: {
      openapi: async () => document(),
    },
  };
}

export async function readReadiness(state: ProcessState): Promise<Readiness> {
  return readinessOf({
    stopping: state.isStopping(),
    relational_store_unreachable: !(await state.relational.reachable()),
    analytics_store_unreachable: !state.analytics.reachable(),
    conversations_rebuilding: state.isRebuilding(),
  });
}

type ApiDocument = { openapi: "3.1.0" };

/**
 * Returns a function that builds the API document at its first call, because building it during the start would take a fifth of the start
 * time.
 */
export function createDocument(): () => ApiDocument {
  let document: ApiDocument | undefined;
  return () => (document ??= openApiDocument() as ApiDocument);
}

/** Presents the conditions to an organization. Conditions of the whole service appear without details. */
export const presentConditions = (conditions: readonly Condition[], organizationId: string): Wire.Condition[] =>
  conditions
    .filter((condition) => condition.organizationId === null || condition.organizationId === organizationId)
    .map((condition) => (condition.organizationId === null ? withoutDetails(condition) : condition))
    .map((condition) => ({ ...condition, mend: condition.remedy }));

const withoutDetails = (condition: Condition) => ({
  ...condition,
  message: `The whole service has a problem: ${condition.code.replaceAll("_", " ")}.`,
  remedy: "Ask the operator of the service. The service's log has the details.",
  count: null,
});
