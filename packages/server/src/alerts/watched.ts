import type { AlertRuleContent } from "@svc/contract";
import type { ProductionStore } from "../grading/graders/store/production.ts";
import type { TraceReader } from "../traces/store/trace-store.ts";
import {
  type AgentWindows,
  windowMsOf,
  windowsOfCounts,
  windowsOfErrors,
  windowsOfGrades,
  windowsOfMeasure,
  windowsOfTools,
} from "./rules.ts";

/** Where the watched values come from: the trace store, and the grades of production conversations. */
export type Watching = { reader: TraceReader; countGraded: ProductionStore["countGraded"] };

/** A period that begins and ends with a window. */
export type Period = { fromMs: number; toMs: number };

/**
 * Reads what a rule watches, window by window, from the same samples as the metrics. Returns null when the period has more points than
 * an answer of the metrics may have.
 */
export async function readWatched(
  { reader, countGraded }: Watching,
  project: { id: string; number: number },
  content: AlertRuleContent,
  { fromMs, toMs }: Period,
): Promise<AgentWindows[] | null> {
  const { watch, source } = content;
  const agents = content.agents.length === 0 ? undefined : content.agents;
  const versions = content.agentVersions.length === 0 ? undefined : content.agentVersions;
  const bucketMs = windowMsOf(content);
  const period = { project: project.number, fromMs, toMs, bucketMs, agents, versions, source };
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
    case "grader_failures": {
      const wanted = { projectId: project.id, fromMs, toMs, bucketMs, agents, versions, grader: watch.grader };
      const counts = await countGraded(wanted);
      return counts && windowsOfGrades(counts);
    }
  }
}
