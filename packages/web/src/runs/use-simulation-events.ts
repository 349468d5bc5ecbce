import type { RunEvent, Simulation } from "@svc/contract";
import { followRun } from "@svc/sdk";
import { useEffect, useRef, useState } from "react";
import { queries } from "../queries.ts";
import { usePlace } from "../shell/place.ts";
import { gridQuery, runQuery, simulationQuery } from "./queries.ts";

type TurnEvent = Extract<RunEvent, { kind: "turn" }>;

/** What the events say about a simulation: the turns of its current attempt, and why earlier attempts ended. */
export type Progress = { turns: TurnEvent[]; interruptions: { seq: number; at: string; why: string }[] };

/**
 * Reads the events of a simulation, until its verdict is final. Also continues while the tab is hidden, because the tab's title says
 * how the simulation ended. If the events cannot be read, the page still fetches the simulation every few seconds.
 */
export function useSimulationEvents({ id, runId, grading, attempt }: Simulation): Progress {
  const place = usePlace();
  const { client, projectId } = place;
  const [events, setEvents] = useState<readonly RunEvent[]>([]);
  const keys = [simulationQuery(place, id), gridQuery(place, runId), runQuery(place, runId)].map(
    ({ queryKey }) => queryKey,
  );
  const state = useRef({ keys, seq: 0 });
  state.current.keys = keys;
  const isWanted = grading !== "settled" || attempt > 1;
  useEffect(() => {
    if (!isWanted) return undefined;
    const stop = new AbortController();
    const follow = async () => {
      const after = state.current.seq;
      for await (const event of followRun(client, runId, { projectId, simulationId: id, after, signal: stop.signal })) {
        state.current.seq = event.seq;
        setEvents((before) => [...before, event]);
        if (event.kind === "turn") continue;
        for (const queryKey of state.current.keys) void queries.invalidateQueries({ queryKey });
      }
    };
    // Without events, the intervals of the queries keep the page up to date.
    follow().catch(() => undefined);
    return () => stop.abort();
  }, [client, projectId, runId, id, isWanted]);
  return progressOf(events);
}

function progressOf(events: readonly RunEvent[]): Progress {
  const steps = events.filter((event) => event.kind === "simulation");
  const begins = steps.findLast(({ status }) => status === "running" || status === "queued")?.seq ?? 0;
  return {
    turns: events.filter((event) => event.kind === "turn").filter(({ seq }) => seq > begins),
    interruptions: steps.flatMap(({ seq, at, status, message }) =>
      status === "queued" && message !== null ? [{ seq, at, why: message }] : [],
    ),
  };
}
