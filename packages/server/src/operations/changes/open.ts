import type { Ground } from "../../ground.ts";
import { createFeeds } from "./feed.ts";
import { changeRoutes } from "./routes.ts";
import type { ChangeSources } from "./sources.ts";
import { createChangeStreams, STREAM_LIMITS, type StreamLimits } from "./streams.ts";

/** Bounds that only specs change. */
export type ChangeLimits = StreamLimits & { paceMs: number };

const PACE_MS = 2_000;
/** Readings say that conversations have changed, and not of which project. */
const ANY = "any";

/** Opens the streams of changes; `close` ends them. */
export function openChanges(
  { conversations, imports }: ChangeSources,
  { log, notices }: Pick<Ground, "log" | "notices">,
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
