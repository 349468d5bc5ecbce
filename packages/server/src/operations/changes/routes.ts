import type { Routes } from "../../http/operation.ts";
import type { ChangeStreams } from "./streams.ts";

export function changeRoutes(streams: ChangeStreams): Routes<"changes"> {
  return {
    changes: {
      stream: async ({ caller, project, query, http, answering, stillAdmitted }) => {
        const last = http.headers["last-event-id"];
        const stream = await streams.open({
          organizationId: caller.organizationId,
          project,
          cursor: query.after ?? (typeof last === "string" ? last.slice(0, 100) : undefined),
          mayContinue: stillAdmitted,
          signal: answering.gone,
        });
        http.type = "text/event-stream";
        http.set("X-Accel-Buffering", "no");
        return stream;
      },
    },
  };
}
