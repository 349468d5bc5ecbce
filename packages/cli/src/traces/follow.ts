import type { TraceSummary } from "@svc/contract";

const REMEMBERED_MAX = 2_000;

/** Tells of a list that is asked for again and again what is new in it or has changed; remembers a bounded number. */
export function openFollower() {
  const known = new Map<string, string>();
  return (traces: readonly TraceSummary[]): TraceSummary[] => {
    const changed: TraceSummary[] = [];
    for (const trace of traces.toReversed()) {
      const mark = JSON.stringify([trace.state, trace.spanCount, trace.turnCount, trace.toolCallCount, trace.status]);
      if (known.get(trace.traceId) !== mark) changed.push(trace);
      known.delete(trace.traceId);
      known.set(trace.traceId, mark);
    }
    for (const id of known.keys()) {
      if (known.size <= REMEMBERED_MAX) break;
      known.delete(id);
    }
    return changed;
  };
}
