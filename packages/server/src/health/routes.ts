import { openApiDocument } from "@svc/contract";
import type { Routes } from "../http/operation.ts";

type Reach = { relational: () => boolean; analytics: () => boolean; stopping: () => boolean };

const reached = (answers: boolean) => (answers ? ("reachable" as const) : ("unreachable" as const));

export function healthRoutes(reach: Reach): Routes<"health" | "description"> {
  // Made when it is first asked for: it would take a fifth of the start.
  let document: { openapi: "3.1.0" } | undefined;
  return {
    health: {
      get: async ({ http }) => {
        const relational = reach.relational();
        const analytics = reach.analytics();
        const ok = relational && analytics && !reach.stopping();
        http.state.status = ok ? 200 : 503;
        return {
          status: ok ? ("ok" as const) : ("unavailable" as const),
          relational_store: reached(relational),
          analytics_store: reached(analytics),
        };
      },
    },
    description: {
      openapi: async () => (document ??= openApiDocument() as { openapi: "3.1.0" }),
    },
  };
}
