import type { ServiceContext } from "../../context.ts";
import type { Routes } from "../../http/operation.ts";
import { createFeeds } from "./feed.ts";
import type { ChangeSources } from "./sources.ts";
import { type ChangeStreams, createChangeStreams, STREAM_LIMITS, type StreamLimits } from "./streams.ts";

/** Limits that only specs set. */
export type ChangeLimits = StreamLimits & { paceMs: number };

const PACE_MS = 2_000;
/** Project of a notice about changed conversations, which does not name the real project. */
const ANY = "any";

export function openChanges(
  { conversations, imports }: ChangeSources,
  { log, notices }: Pick<ServiceContext, "log" | "notices">,
  limits: Partial<ChangeLimits> = {},
) {
  const { paceMs, ...bounds } = { ...STREAM_LIMITS, paceMs: PACE_MS, ...limits };
  conversations.onChange(() => notices.send("conversations", ANY));
  const ofAllProcesses = {
    ...conversations,
    onChange: (listener: () => void) => notices.listen("conversations", listener),
  };
  const streams = createChangeStreams(createFeeds({ conversations: ofAllProcesses, imports }, log, paceMs), bounds);
  return { routes: changeRoutes(streams), close: streams.end };
}

function changeRoutes(streams: ChangeStreams): Routes<"changes"> {
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
