import type { AlertRuleContent, WatchedStatistic } from "@svc/contract";
import type { OpenFailureCount } from "../monitoring/store/failures.ts";
import type { GradedCount } from "../grading/graders/store/production.ts";
import type { ConversationCount, EndingCount, MetricPoint, ToolCount } from "../traces/store/trace-store.ts";

/** A period of whole windows. `toMs` is exclusive. */
export type Period = { fromMs: number; toMs: number };

/**
 * One window of an agent: its start, the watched value, and the number of samples from which the value was computed. The value is null when
 * it is not defined.
 */
export type WindowValue = { startMs: number; value: number | null; samples: number };

/** The windows of one agent that have samples, in the order of time. */
export type AgentWindows = { agent: string | null; windows: WindowValue[] };

export const windowMsOf = ({ windowMinutes }: Pick<AlertRuleContent, "windowMinutes">): number =>
  windowMinutes * 60_000;

/** Returns whether the rule watches a number of conversations or failures. Such a number is zero in a window without samples. */
export const isNumber = ({ watch }: Pick<AlertRuleContent, "watch">): boolean =>
  watch.kind === "conversations" || watch.kind === "import_failures";

/** Returns each agent's windows of one statistic, from the points of the metrics. */
export const windowsOfMeasure = (points: readonly MetricPoint[], statistic: WatchedStatistic): AgentWindows[] =>
  grouped(points, (point) => ({ value: point[statistic], samples: point.samples }));

/** Returns, for each agent, the share of conversations with an error. */
export const windowsOfErrors = (counts: readonly ConversationCount[]): AgentWindows[] =>
  grouped(counts, ({ conversations, errors }) => ({ value: share(errors, conversations), samples: conversations }));

/** Returns, for each agent, the share of conversations with one ending, among the conversations with a known ending. */
export const windowsOfEndings = (counts: readonly EndingCount[]): AgentWindows[] =>
  grouped(counts, ({ known, ended }) => ({ value: share(ended, known), samples: known }));

/** Returns, for each agent, the number of conversations. */
export const windowsOfCounts = (counts: readonly ConversationCount[]): AgentWindows[] =>
  grouped(counts, ({ conversations }) => ({ value: conversations, samples: conversations }));

/**
 * Returns, for each agent, the share of failed calls of one tool; of all tools when `tool` is null. Ignores calls with an unknown outcome.
 */
export function windowsOfTools(counts: readonly ToolCount[], tool: string | null): AgentWindows[] {
  const wanted = tool === null ? counts : counts.filter((count) => count.tool === tool);
  const sums = new Map<string, { agent: string | null; startMs: number | null; errors: number; known: number }>();
  for (const { agent, startMs, calls, errors, unknown } of wanted) {
    const key = JSON.stringify([agent, startMs]);
    const sum = sums.get(key) ?? { agent, startMs, errors: 0, known: 0 };
    sums.set(key, { ...sum, errors: sum.errors + errors, known: sum.known + calls - unknown });
  }
  return grouped([...sums.values()], ({ errors, known }) => ({ value: share(errors, known), samples: known }));
}

/** Returns, for each agent, the number of import failures that were open at the end of each window. */
export const windowsOfFailures = (counts: readonly OpenFailureCount[]): AgentWindows[] =>
  grouped(counts, ({ open }) => ({ value: open, samples: open }));

/** Returns, for each agent, the share of failed conversations among the conversations with a decided grade. */
export const windowsOfGrades = (counts: readonly GradedCount[]): AgentWindows[] =>
  grouped(counts, ({ decided, failed }) => ({ value: share(failed, decided), samples: decided }));

const share = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole);

/** Groups the points by agent. Leaves out points without a start, which are about the whole period. */
function grouped<Point extends { agent: string | null; startMs: number | null }>(
  points: readonly Point[],
  valueOf: (point: Point) => { value: number | null; samples: number },
): AgentWindows[] {
  const byAgent = Map.groupBy(
    points.filter(({ startMs }) => startMs !== null),
    ({ agent }) => agent,
  );
  return [...byAgent].map(([agent, own]) => ({
    agent,
    windows: own
      .map((point) => ({ startMs: point.startMs!, ...valueOf(point) }))
      .sort((one, other) => one.startMs - other.startMs),
  }));
}
