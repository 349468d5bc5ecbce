import type { Alert, AlertConversation, AlertRule, AlertRuleContent, AlertSeries } from "@svc/contract";
import type { Schema } from "../stores/schema.ts";
import { type UsualOf, usualOf } from "./usual.ts";
import { type AgentWindows, isNumber, type Period, type WindowValue, windowMsOf } from "./windows.ts";

export type AlertRuleRow = Schema["alert_rules"];

/** `until` is an ISO 8601 time. */
export type MutedAgent = AlertRule["mutedAgents"][number];

/** Number of agents of a rule by the judgement of their last window. */
export type LastWindow = NonNullable<AlertRule["lastWindow"]>;
export const NO_AGENTS: LastWindow = { good: 0, bad: 0, tooFew: 0, noData: 0 };
export type AlertRow = Schema["alerts"] & { acknowledged_by_name?: string | null };

/** Adds defaults for the members that earlier versions of the service did not store. */
export const contentOf = ({ content }: Pick<AlertRuleRow, "content">): AlertRuleContent => ({
  agentVersions: [],
  channels: [],
  destinationIds: [],
  remindAfterMinutes: null,
  ...(JSON.parse(content) as Omit<
    AlertRuleContent,
    "agentVersions" | "channels" | "destinationIds" | "remindAfterMinutes"
  >),
});

/**
 * State of one agent under a rule, between two windows. `bad` and `good` count the windows in a row with this judgement. `compared` is the
 * usual value at the first bad window of the current row, so that lasting bad windows do not become usual.
 */
export type AgentState = { bad: number; good: number; isOpen: boolean; compared: UsualOf | null };

export type Judgement = "good" | "bad" | "too_few" | "no_data";

/** `action` tells what happens to the alert at the window's end; null when nothing happens. */
export type JudgedWindow = WindowValue & Judged & { action: "raise" | "clear" | null };

/**
 * `usual` is null for a rule with a fixed limit. `limit` and `usual` are null when too few earlier windows are known.
 */
type Judged = { judged: Judgement; limit: number | null; usual: number | null };

/** Time in milliseconds between the end of a window and its judgement, because conversations arrive and are processed with a delay. */
export const SETTLE_MS = 60_000;

export const NEW_STATE: AgentState = { bad: 0, good: 0, isOpen: false, compared: null };

export function lastWindowEnd(content: AlertRuleContent, nowMs: number): number {
  const windowMs = windowMsOf(content);
  return Math.floor((nowMs - SETTLE_MS) / windowMs) * windowMs;
}

/** Judges one window. A rule without a fixed limit compares the window with other windows of the agent. */
function judge(
  content: AlertRuleContent,
  compared: UsualOf | null,
  windows: ReadonlyMap<number, WindowValue>,
  window: WindowValue,
): Judged {
  const { condition, minSamples, noData } = content;
  const { value, samples } = window;
  const found =
    "value" in condition
      ? { limit: condition.value, usual: null }
      : (compared ?? usualOf({ ...content, condition }, windows, window.startMs));
  if (found === null) return { judged: "too_few", limit: null, usual: null };
  const isCount = isNumber(content);
  if (!isCount && samples === 0)
    return { ...found, judged: noData === "keep" ? "no_data" : noData === "alert" ? "bad" : "good" };
  if (value === null || (!isCount && samples < minSamples)) return { ...found, judged: "too_few" };
  const isMet = condition.is === "above" ? value > found.limit : value < found.limit;
  return { ...found, judged: isMet ? "bad" : "good" };
}

/**
 * Judges the windows of one agent in the order of time, beginning with `state`. A window that is not in `windows` had no sample. Windows
 * before the period are used for comparison only. A preview calls this function too, so it shows exactly the alerts that
 * the rule raises.
 */
export function judgeWindows(
  content: AlertRuleContent,
  state: AgentState,
  { windows }: AgentWindows,
  { fromMs, toMs }: Period,
): { judged: JudgedWindow[]; state: AgentState } {
  const windowMs = windowMsOf(content);
  const values = new Map(windows.map((window) => [window.startMs, window]));
  const judged: JudgedWindow[] = [];
  const { condition } = content;
  const isKept = "usual" in condition && condition.usual === "windows_before";
  let { bad, good, isOpen, compared } = state;
  for (let startMs = fromMs; startMs < toMs; startMs += windowMs) {
    const none = { startMs, value: isNumber(content) ? 0 : null, samples: 0 };
    const window = values.get(startMs) ?? none;
    const judgement = judge(content, compared, values, window);
    if (judgement.judged === "bad") [bad, good] = [bad + 1, 0];
    if (judgement.judged === "good") [bad, good] = [0, good + 1];
    const action =
      !isOpen && bad >= content.windowsInRow ? "raise" : isOpen && good >= content.windowsInRow ? "clear" : null;
    if (action !== null) isOpen = action === "raise";
    const { limit, usual } = judgement;
    if (bad === 0 && !isOpen) compared = null;
    else if (isKept && compared === null && limit !== null && usual !== null) compared = { limit, usual };
    judged.push({ ...window, ...judgement, action });
  }
  return { judged, state: { bad, good, isOpen, compared } };
}

export function isReminded(
  { remindAfterMinutes }: Pick<AlertRuleContent, "remindAfterMinutes">,
  alert: Pick<AlertRow, "raised_at" | "reminded_at" | "acknowledged_at">,
  toMs: number,
): boolean {
  if (remindAfterMinutes === null || alert.acknowledged_at !== null) return false;
  return toMs - Date.parse(alert.reminded_at ?? alert.raised_at) >= remindAfterMinutes * 60_000;
}

/**
 * Returns the agents that a rule judges: the agents that the rule names, or else the agents with samples and the agents in `known`.
 * `fromMs` is the time from which the agent's windows are judged. A new agent that the rule does not name is judged from its first window
 * with a sample.
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
    return { agent, windows, fromMs: isNew ? Math.max(fromMs, windows[0]?.startMs ?? fromMs) : fromMs };
  });
}

const iso = (ms: number) => new Date(ms).toISOString();

/** Returns the agents that are still muted at the time. */
export const mutedAgentsOf = ({ muted_agents }: Pick<AlertRuleRow, "muted_agents">, nowMs: number): MutedAgent[] =>
  (JSON.parse(muted_agents) as MutedAgent[]).filter(({ until }) => Date.parse(until) > nowMs);

/** Returns whether the alerts of the agent tell nobody at the time. */
export const isMuted = (
  rule: Pick<AlertRuleRow, "muted_until" | "muted_agents">,
  agent: string | null,
  nowMs: number,
): boolean =>
  (rule.muted_until !== null && Date.parse(rule.muted_until) > nowMs) ||
  mutedAgentsOf(rule, nowMs).some(({ agentName }) => agentName === agent);

function stateOf(row: AlertRuleRow, openAlerts: number, { good, bad, tooFew }: LastWindow): AlertRule["state"] {
  if (row.enabled === 0) return "disabled";
  if (openAlerts > 0) return "open";
  if (row.evaluated_to_ms <= row.started_ms) return "not_judged";
  if (bad > 0) return "bad";
  if (good > 0) return "good";
  return tooFew > 0 ? "too_few" : "no_data";
}

export function presentAlertRule(
  row: AlertRuleRow,
  { openAlerts, lastWindow, nowMs }: { openAlerts: number; lastWindow: LastWindow; nowMs: number },
): AlertRule {
  return {
    id: row.id,
    projectId: row.project_id,
    ...contentOf(row),
    name: row.name,
    enabled: row.enabled === 1,
    mutedUntil: row.muted_until,
    mutedAgents: mutedAgentsOf(row, nowMs),
    state: stateOf(row, openAlerts, lastWindow),
    lastWindow: row.evaluated_to_ms > row.started_ms ? lastWindow : null,
    evaluatedTo: row.evaluated_to_ms > row.started_ms ? iso(row.evaluated_to_ms) : null,
    openAlerts,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

export const presentAlert = (row: AlertRow, conversations: AlertConversation[]): Alert => ({
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
  interval:
    row.interval_low === null && row.interval_high === null ? null : { low: row.interval_low, high: row.interval_high },
  samples: row.samples,
  condition: { is: row.condition_is, value: row.condition_value },
  usual: row.usual,
  unit: row.unit,
  what: row.what,
  conversations,
  acknowledgedBy: row.acknowledged_by_name ?? null,
  acknowledgedAt: row.acknowledged_at,
  note: row.note,
});

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
    windows: judged.map(({ startMs, action: _, ...window }) => ({
      startedAt: iso(startMs),
      endedAt: iso(startMs + windowMs),
      ...window,
    })),
    alerts,
  };
}
