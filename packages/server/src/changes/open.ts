import type { Log } from "../log.ts";
import { createFeeds } from "./feed.ts";
import { changeRoutes } from "./routes.ts";
import type { ChangeSources } from "./sources.ts";
import { createChangeStreams, STREAM_LIMITS, type StreamLimits } from "./streams.ts";

/** Bounds that only specs change. */
export type ChangeLimits = StreamLimits & { paceMs: number };

const PACE_MS = 2_000;

/** Opens the streams of changes; `close` ends them. */
export function openChanges(sources: ChangeSources, log: Log, limits: Partial<ChangeLimits> = {}) {
  const { paceMs, ...bounds } = { ...STREAM_LIMITS, paceMs: PACE_MS, ...limits };
  const streams = createChangeStreams(createFeeds(sources, log, paceMs), bounds);
  return { routes: changeRoutes(streams), close: streams.end };
}
