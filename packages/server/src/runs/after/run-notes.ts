import { LIMITS } from "@svc/contract";
import type { TraceReader } from "../../traces/store/trace-store.ts";
import { lineTypeOf } from "../lines/connection-types.ts";
import { type RunRow, snapshotOf } from "../rules.ts";
import type { RunStore } from "../store/runs.ts";

type Needs = {
  store: Pick<RunStore, "listSimulationIds" | "getSpanOrigin">;
  reader: Pick<TraceReader, "list">;
};

/**
 * Creates the function that returns notes about a run. If the agent's worker should send spans, a note says in how many conversations the
 * worker sent none. Checks only the newest conversations, at most `LIMITS.pageSizeMax`.
 */
export function createReadRunNotes({ store, reader }: Needs): (run: RunRow) => Promise<string[]> {
  return async (run) => {
    if (run.ended_at === null || !lineTypeOf(snapshotOf(run).connectionType).sendsOwnSpans) return [];
    const { projectNumber: project } = await store.getSpanOrigin(run);
    const simulations = await store.listSimulationIds(run.project_id, run.id);
    const { rows } = await reader.list({
      project,
      limit: LIMITS.pageSizeMax,
      sort: { by: "startedAt", descending: true },
      after: undefined,
      filters: { simulations },
    });
    // The service writes one span, the root. A count of one therefore means that the worker sent no span.
    const silent = rows.filter(({ spans }) => spans === OWN_SPANS).length;
    return silent === 0 ? [] : [noteOf(silent, rows.length)];
  };
}

const OWN_SPANS = 1;

function noteOf(silent: number, all: number): string {
  const which =
    all === 1
      ? "The conversation has 1 span, none from the agent's worker so far."
      : `${silent} of ${all} conversations have 1 span each, none from the agent's worker so far.`;
  return `${which} Check that the worker sends its spans, with the SVC_URL and the SVC_API_KEY of this project; its output says what the service answered.`;
}
