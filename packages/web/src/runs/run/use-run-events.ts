import { followRun } from "@svc/sdk";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import type { ProjectPlace } from "../../frame/place.ts";
import { useIsVisible } from "../../ui/use-is-visible.ts";
import { gridQuery, runQuery } from "./queries.ts";

/** Events within this time lead to one request. */
const PAUSE_MS = 600;

/** Keeps the run and its grid fresh while the run goes on and the page is seen, by following the run's events. */
export function useRunEvents(place: ProjectPlace, runId: string, isLive: boolean): void {
  const queries = useQueryClient();
  const isVisible = useIsVisible();
  const { client, organizationId, projectId } = place;
  useEffect(() => {
    if (!isLive || !isVisible) return undefined;
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const refresh = () => {
      timer = undefined;
      const shown = { client, organizationId, projectId };
      void queries.invalidateQueries({ queryKey: runQuery(shown, runId).queryKey });
      void queries.invalidateQueries({ queryKey: gridQuery(shown, runId).queryKey });
    };
    const follow = async () => {
      for await (const event of followRun(client, runId, { signal: stop.signal }))
        if (event.kind !== "turn") timer ??= setTimeout(refresh, PAUSE_MS);
    };
    // Without the events the run is still asked for by its interval.
    follow().catch(() => undefined);
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [queries, client, organizationId, projectId, runId, isLive, isVisible]);
}
