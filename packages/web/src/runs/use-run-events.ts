import { followRun, type RunEvent } from "@svc/sdk";
import { useEffect, useRef, useSyncExternalStore } from "react";
import { queries } from "../queries.ts";
import { usePlace } from "../shell/place.ts";
import { changesOf, withChanges } from "./grid-changes.ts";
import { gridQuery, runQuery } from "./queries.ts";

/** Interval at which events are applied to the grid. A fast run has too many events for a rendering each. */
const DRAW_MS = 200;
/** Minimum time between two requests for rates and intervals while events arrive, because only the service computes them. */
const COUNT_MS = 2_000;

const onVisibility = (changed: () => void) => {
  document.addEventListener("visibilitychange", changed);
  return () => document.removeEventListener("visibilitychange", changed);
};
const useIsSeen = () => useSyncExternalStore(onVisibility, () => document.visibilityState === "visible");

/**
 * Stops while the tab is hidden, and then continues after the last event. If the events cannot be read, the page still fetches the
 * run every few seconds.
 */
export function useRunEvents(runId: string, isOpen: boolean): void {
  const place = usePlace();
  const { client, projectId } = place;
  const isSeen = useIsSeen();
  const last = useRef({ runId, seq: 0 });
  if (last.current.runId !== runId) last.current = { runId, seq: 0 };
  const gridKey = gridQuery(place, runId).queryKey;
  const runKey = runQuery(place, runId).queryKey;
  const keys = useRef({ gridKey, runKey });
  keys.current = { gridKey, runKey };

  useEffect(() => {
    if (!isOpen || !isSeen) return undefined;
    const stop = new AbortController();
    const ask = () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: keys.current.gridKey }),
        queries.invalidateQueries({ queryKey: keys.current.runKey }),
      ]);
    let waiting: RunEvent[] = [];
    let counting: ReturnType<typeof setTimeout> | undefined;
    const draw = () => {
      if (waiting.length === 0) return;
      const changes = changesOf(waiting);
      waiting = [];
      queries.setQueryData(keys.current.gridKey, (grid) => grid && withChanges(grid, changes));
      counting ??= setTimeout(() => {
        counting = undefined;
        void ask();
      }, COUNT_MS);
    };
    const drawing = setInterval(draw, DRAW_MS);
    const follow = async () => {
      for await (const event of followRun(client, runId, {
        projectId,
        after: last.current.seq,
        signal: stop.signal,
      })) {
        last.current.seq = event.seq;
        if (event.kind !== "turn") waiting.push(event);
      }
      draw();
      await ask();
    };
    // Without events, the intervals of the queries keep the page up to date.
    follow().catch(() => undefined);
    return () => {
      stop.abort();
      clearInterval(drawing);
      clearTimeout(counting);
      draw();
      clearTimeout(counting);
    };
  }, [client, projectId, runId, isOpen, isSeen]);
}
