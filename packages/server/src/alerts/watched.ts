import type { AlertRuleContent } from "@svc/contract";
import type { GradedCounts } from "../grading/graders/store/graded-counts.ts";
import type { FailureStore } from "../monitoring/store/failures.ts";
import type { TraceReader } from "../traces/store/trace-store.ts";
import { comparedPeriods } from "./usual.ts";
import {
  type AgentWindows,
  type Period,
  windowMsOf,
  windowsOfCounts,
  windowsOfEndings,
  windowsOfErrors,
  windowsOfFailures,
  windowsOfGrades,
  windowsOfMeasure,
  windowsOfTools,
} from "./windows.ts";

export type Watching = {
  reader: Pick<TraceReader, "metrics" | "countConversations" | "countToolCalls" | "countEndings" | "countOccurrences">;
  countGraded: GradedCounts["countGraded"];
  countOpenAtEnds: FailureStore["countOpenAtEnds"];
};

export type Project = { id: string; number: number };

/** Rules with the same watched value and the same windows share one read of the conversations or grades of all agents. */
export function withSharedReads({ reader, countGraded, ...others }: Watching): Watching {
  return {
    ...others,
    countGraded: shared(countGraded),
    reader: {
      metrics: shared(reader.metrics),
      countConversations: shared(reader.countConversations),
      countToolCalls: shared(reader.countToolCalls),
      countEndings: shared(reader.countEndings),
      countOccurrences: shared(reader.countOccurrences),
    },
  };
}

function shared<Asked extends { agents: readonly string[] | undefined }, Row extends { agent: string | null }>(
  read: (asked: Asked) => Promise<Row[] | null>,
): (asked: Asked) => Promise<Row[] | null> {
  const reads = new Map<string, Promise<Row[] | null>>();
  return async (asked) => {
    const { agents } = asked;
    const ofAll = { ...asked, agents: undefined };
    const key = JSON.stringify(ofAll);
    const reading = reads.get(key) ?? read(ofAll);
    reads.set(key, reading);
    const rows = await reading;
    if (rows === null) return read(asked);
    return agents === undefined ? rows : rows.filter(({ agent }) => agent !== null && agents.includes(agent));
  };
}

/**
 * Reads the watched value of each window, from the same samples as the metrics. Includes the earlier windows with which the windows of the
 * period are compared. Returns null when there are more windows than one answer of the metrics may contain.
 */
export async function readWatched(
  watching: Watching,
  project: Project,
  content: AlertRuleContent,
  period: Period,
): Promise<AgentWindows[] | null> {
  const byAgent = new Map<string | null, AgentWindows>();
  for (const read of apart([...comparedPeriods(content, period), period])) {
    const found = await readPeriod(watching, project, content, read);
    if (found === null) return null;
    for (const { agent, windows } of found) {
      const before = byAgent.get(agent)?.windows ?? [];
      byAgent.set(agent, { agent, windows: [...before, ...windows] });
    }
  }
  return [...byAgent.values()];
}

function apart(periods: readonly Period[]): Period[] {
  let endMs = 0;
  return periods
    .toSorted((one, other) => one.fromMs - other.fromMs)
    .flatMap(({ fromMs, toMs }) => {
      const left = { fromMs: Math.max(fromMs, endMs), toMs };
      endMs = Math.max(endMs, toMs);
      return left.fromMs < toMs ? [left] : [];
    });
}

async function readPeriod(
  { reader, countGraded, countOpenAtEnds }: Watching,
  project: Project,
  content: AlertRuleContent,
  { fromMs, toMs }: Period,
): Promise<AgentWindows[] | null> {
  const { watch, source } = content;
  const agents = content.agents.length === 0 ? undefined : content.agents;
  const versions = content.agentVersions.length === 0 ? undefined : content.agentVersions;
  const channels = content.channels.length === 0 ? undefined : content.channels;
  const bucketMs = windowMsOf(content);
  const period = { project: project.number, fromMs, toMs, bucketMs, agents, versions, channels, source };
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
    case "endings": {
      const counts = await reader.countEndings({ ...period, ending: watch.ending });
      return counts && windowsOfEndings(counts);
    }
    case "occurrences": {
      const counts = await reader.countOccurrences({ ...period, measure: watch.measure });
      return counts && windowsOfEndings(counts);
    }
    case "import_failures":
      return windowsOfFailures(await countOpenAtEnds(project.id, { fromMs, toMs, windowMs: bucketMs, agents }));
    case "grader_failures": {
      const of = { agents, versions, channels, grader: watch.grader };
      const counts = await countGraded({ projectId: project.id, fromMs, toMs, bucketMs, ...of });
      return counts && windowsOfGrades(counts);
    }
  }
}
