import type { Alert, AlertRule, AlertRuleContent, AlertSeries } from "@svc/contract";
import type { GradedCount } from "../grading/graders/store/production.ts";
import type { ConversationCount, MetricPoint, ToolCount } from "../traces/store/trace-store.ts";
import type { Schema } from "../stores/schema.ts";

export type AlertRuleRow = Schema["alert_rules"];
export type AlertRow = Schema["alerts"] & { acknowledged_by_name?: string | null };

/** Returns the content of a stored rule; an earlier version stored fewer members. */
export const contentOf = ({ content }: Pick<AlertRuleRow, "content">): AlertRuleContent => ({
  agentVersions: [],
  destinationIds: [],
  remindAfterMinutes: null,
  ...(JSON.parse(content) as Omit<AlertRuleContent, "agentVersions" | "destinationIds" | "remindAfterMinutes">),
});

/** What a window of one agent had: a value, null without one, and the number of samples behind it. */
export type WindowValue = { startMs: number; value: number | null; samples: number };

/** The windows with samples of one agent, in order of time. */
export type AgentWindows = { agent: string | null; windows: WindowValue[] };

/** What a rule remembers of an agent between windows. */
export type AgentState = { bad: number; good: number; isOpen: boolean };

export type Judgement = "good" | "bad" | "too_few" | "no_data";

/** A window after its judgement, and what the alert does at its end. */
export type JudgedWindow = WindowValue & { judged: Judgement; action: "raise" | "clear" | null };

/** Conversations arrive and are read a little after they happen. */
export const SETTLE_MS = 60_000;

export const NEW_STATE: AgentState = { bad: 0, good: 0, isOpen: false };

export const windowMsOf = ({ windowMinutes }: Pick<AlertRuleContent, "windowMinutes">): number =>
  windowMinutes * 60_000;

/** Returns the end of the last window that may be judged now. */
export function lastWindowEnd(content: AlertRuleContent, nowMs: number): number {
  const windowMs = windowMsOf(content);
  return Math.floor((nowMs - SETTLE_MS) / windowMs) * windowMs;
}

/** Returns whether a window is good or bad by the rule. */
function judge({ watch, condition, minSamples, noData }: AlertRuleContent, window: WindowValue): Judgement {
  const { value, samples } = window;
  // The number of conversations is known when it is zero.
  const isCount = watch.kind === "conversations";
  if (!isCount && samples === 0) return noData === "keep" ? "no_data" : noData === "alert" ? "bad" : "good";
  if (value === null || (!isCount && samples < minSamples)) return "too_few";
  const isMet = condition.is === "above" ? value > condition.value : value < condition.value;
  return isMet ? "bad" : "good";
}

/**
 * Judges the windows of one agent in order of time, from a state; windows that are missing had no sample. A preview and the service itself
 * both call this, so that they raise the same alerts.
 */
export function judgeWindows(
  content: AlertRuleContent,
  state: AgentState,
  { windows }: AgentWindows,
  { fromMs, toMs }: { fromMs: number; toMs: number },
): { judged: JudgedWindow[]; state: AgentState } {
  const windowMs = windowMsOf(content);
  const values = new Map(windows.map((window) => [window.startMs, window]));
  const judged: JudgedWindow[] = [];
  let { bad, good, isOpen } = state;
  for (let startMs = fromMs; startMs < toMs; startMs += windowMs) {
    const none = { startMs, value: content.watch.kind === "conversations" ? 0 : null, samples: 0 };
    const window = values.get(startMs) ?? none;
    const judgement = judge(content, window);
    if (judgement === "bad") [bad, good] = [bad + 1, 0];
    if (judgement === "good") [bad, good] = [0, good + 1];
    const action =
      !isOpen && bad >= content.windowsInRow ? "raise" : isOpen && good >= content.windowsInRow ? "clear" : null;
    if (action !== null) isOpen = action === "raise";
    judged.push({ ...window, judged: judgement, action });
  }
  return { judged, state: { bad, good, isOpen } };
}

/** Returns whether an open alert tells again at the end of a bad window. */
export function isReminded(
  { remindAfterMinutes }: Pick<AlertRuleContent, "remindAfterMinutes">,
  alert: Pick<AlertRow, "raised_at" | "reminded_at" | "acknowledged_at">,
  toMs: number,
): boolean {
  if (remindAfterMinutes === null || alert.acknowledged_at !== null) return false;
  return toMs - Date.parse(alert.reminded_at ?? alert.raised_at) >= remindAfterMinutes * 60_000;
}

/** Returns the windows of each agent with samples, from the points of the metrics. */
export const windowsOfMeasure = (points: readonly MetricPoint[], statistic: "p50" | "p95" | "mean"): AgentWindows[] =>
  grouped(points, (point) => ({ value: point[statistic], samples: point.samples }));

/** Returns the share of conversations with an error of each agent. */
export const windowsOfErrors = (counts: readonly ConversationCount[]): AgentWindows[] =>
  grouped(counts, ({ conversations, errors }) => ({ value: share(errors, conversations), samples: conversations }));

/** Returns the number of conversations of each agent. */
export const windowsOfCounts = (counts: readonly ConversationCount[]): AgentWindows[] =>
  grouped(counts, ({ conversations }) => ({ value: conversations, samples: conversations }));

/** Returns the share of failed calls of one tool, or of all, of each agent. Calls of an unknown outcome do not count. */
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

/** Returns the share of failed conversations, among the graded ones, of each agent. */
export const windowsOfGrades = (counts: readonly GradedCount[]): AgentWindows[] =>
  grouped(counts, ({ decided, failed }) => ({ value: share(failed, decided), samples: decided }));

const share = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole);

/** Groups the points of windows by agent; points of the whole period are left out. */
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

/**
 * Returns the agents that a rule judges: the ones that it names, or those with samples and those that it knows already, each with the
 * time from which its windows count. An agent that no rule names begins with its first sample.
 */
export function judgedAgents(
  { agents }: Pick<AlertRuleContent, "agents">,
  found: readonly AgentWindows[],
  known: ReadonlySet<string | null>,
  fromMs: number,
): (AgentWindows & { fromMs: number })[] {
  const byName = new Map(found.map((series) => [series.agent, series]));
  const names = agents.length > 0 ? agents : [...new Set([...known, ...byName.keys()])];
  return names.map((agent) => {
    const windows = byName.get(agent)?.windows ?? [];
    const isNew = agents.length === 0 && !known.has(agent);
    return { agent, windows, fromMs: isNew ? (windows[0]?.startMs ?? fromMs) : fromMs };
  });
}

const iso = (ms: number) => new Date(ms).toISOString();

export function presentAlertRule(row: AlertRuleRow, openAlerts: number): AlertRule {
  return {
    id: row.id,
    projectId: row.project_id,
    ...contentOf(row),
    name: row.name,
    enabled: row.enabled === 1,
    mutedUntil: row.muted_until,
    evaluatedTo: row.evaluated_to_ms > row.started_ms ? iso(row.evaluated_to_ms) : null,
    openAlerts,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

export const presentAlert = (row: AlertRow): Alert => ({
  id: row.id,
  projectId: row.project_id,
  alertRuleId: row.rule_id,
  ruleName: row.rule_name,
  agentName: row.agent,
  severity: row.severity,
  state: row.cleared_at === null ? "open" : "cleared",
  windowStartedAt: row.window_started_at,
  raisedAt: row.raised_at,
  clearedAt: row.cleared_at,
  clearedBecause: row.cleared_because,
  value: row.value,
  samples: row.samples,
  condition: { is: row.condition_is, value: row.condition_value },
  unit: row.unit,
  what: row.what,
  acknowledgedBy: row.acknowledged_by_name ?? null,
  acknowledgedAt: row.acknowledged_at,
  note: row.note,
});

/** Presents the judged windows of one agent, and the alerts that they raise. */
export function presentSeries(content: AlertRuleContent, agent: string | null, judged: JudgedWindow[]): AlertSeries {
  const windowMs = windowMsOf(content);
  const alerts: AlertSeries["alerts"] = [];
  for (const { startMs, value, samples, action } of judged) {
    const endedAt = iso(startMs + windowMs);
    if (action === "raise") alerts.push({ raisedAt: endedAt, clearedAt: null, value, samples });
    if (action === "clear") alerts.at(-1)!.clearedAt = endedAt;
  }
  return {
    agentName: agent,
    windows: judged.map(({ startMs, value, samples, judged: judgement }) => ({
      startedAt: iso(startMs),
      endedAt: iso(startMs + windowMs),
      value,
      samples,
      judged: judgement,
    })),
    alerts,
  };
}
