import type { AlertRuleContent } from "@svc/contract";
import type { TraceReader } from "../traces/store/trace-store.ts";
import {
  type AgentWindows,
  windowMsOf,
  windowsOfCounts,
  windowsOfErrors,
  windowsOfMeasure,
  windowsOfTools,
} from "./rules.ts";

/** A period that begins and ends with a window. */
export type Period = { fromMs: number; toMs: number };

/**
 * Reads what a rule watches, window by window, from the same samples as the metrics. Returns null when the period has more points than
 * an answer of the metrics may have.
 */
export async function readWatched(
  reader: TraceReader,
  project: number,
  content: AlertRuleContent,
  { fromMs, toMs }: Period,
): Promise<AgentWindows[] | null> {
  const { watch, source } = content;
  const agents = content.agents.length === 0 ? undefined : content.agents;
  const versions = content.agentVersions.length === 0 ? undefined : content.agentVersions;
  const period = { project, fromMs, toMs, bucketMs: windowMsOf(content), agents, versions, source };
  switch (watch.kind) {
    case "measure": {
      const points = await reader.metrics({ ...period, measures: [watch.measure] });
      return points && windowsOfMeasure(points, watch.statistic);
    }
    case "errors":
    case "conversations": {
      const counts = await reader.countConversations(period);
      return counts && (watch.kind === "errors" ? windowsOfErrors(counts) : windowsOfCounts(counts));
    }
    case "tool_errors": {
      const counts = await reader.countToolCalls(period);
      return counts && windowsOfTools(counts, watch.tool);
    }
  }
}
