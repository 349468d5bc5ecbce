import type { AlertRuleContent, WatchedStatistic } from "@svc/contract";
import type { OpenFailureCount } from "../monitoring/store/failures.ts";
import type { GradedCount } from "../grading/graders/store/graded-counts.ts";
import type { ConversationCount, EndingCount, MetricPoint, ToolCount } from "../traces/store/trace-store.ts";

/** `toMs` is exclusive. */
export type Period = { fromMs: number; toMs: number };

/** `value` is null when it is not defined. */
export type WindowValue = { startMs: number; value: number | null; samples: number };

/** The windows of one agent that have samples, in the order of time. */
export type AgentWindows = { agent: string | null; windows: WindowValue[] };

export const windowMsOf = ({ windowMinutes }: Pick<AlertRuleContent, "windowMinutes">): number =>
  windowMinutes * 60_000;

/** Returns whether the rule watches a number of conversations or failures. Such a number is zero in a window without samples. */
export const isNumber = ({ watch }: Pick<AlertRuleContent, "watch">): boolean =>
  watch.kind === "conversations" || watch.kind === "import_failures";

export const windowsOfMeasure = (points: readonly MetricPoint[], statistic: WatchedStatistic): AgentWindows[] =>
  grouped(points, (point) => ({ value: point[statistic], samples: point.samples }));

export const windowsOfErrors = (counts: readonly ConversationCount[]): AgentWindows[] =>
  grouped(counts, ({ conversations, errors }) => ({ value: share(errors, conversations), samples: conversations }));

export const windowsOfEndings = (counts: readonly EndingCount[]): AgentWindows[] =>
  grouped(counts, ({ known, ended }) => ({ value: share(ended, known), samples: known }));

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

export const windowsOfFailures = (counts: readonly OpenFailureCount[]): AgentWindows[] =>
  grouped(counts, ({ open }) => ({ value: open, samples: open }));

export const windowsOfGrades = (counts: readonly GradedCount[]): AgentWindows[] =>
  grouped(counts, ({ decided, failed }) => ({ value: share(failed, decided), samples: decided }));

const share = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole);

/** Leaves out points without a start, which are about the whole period. */
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
