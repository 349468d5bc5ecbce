import type { TraceSummary } from "@svc/contract";

const REMEMBERED_MAX = 2_000;

/**
 * Each call with a newer copy of the list returns the conversations that are new or have changed, oldest first. The function
 * remembers the last 2,000 conversations.
 */
export function createChangeDetector(): (traces: readonly TraceSummary[]) => TraceSummary[] {
  const markOf = new Map<string, string>();
  return (traces) => {
    const changed: TraceSummary[] = [];
    for (const trace of traces.toReversed()) {
      const mark = JSON.stringify([trace.state, trace.spanCount, trace.turnCount, trace.toolCallCount, trace.status]);
      if (markOf.get(trace.traceId) !== mark) changed.push(trace);
      markOf.delete(trace.traceId);
      markOf.set(trace.traceId, mark);
    }
    for (const id of markOf.keys()) {
      if (markOf.size <= REMEMBERED_MAX) break;
      markOf.delete(id);
    }
    return changed;
  };
}
