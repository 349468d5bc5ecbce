import type { Alert, AlertRule, AlertRuleContent } from "@svc/contract";
import {
  alertIntervalText,
  alertLimitText,
  badWhenText,
  USUAL_MEANINGS,
  watchedValueText,
} from "@svc/contract/constants";
import { counted, facts, paint } from "../terminal/output.ts";
import { ago, moment } from "../terminal/times.ts";

/** The flag `--window` accepts this form: `15m`, `1h`, `7d`. */
export function windowText(minutes: number): string {
  if (minutes % 1_440 === 0) return `${minutes / 1_440}d`;
  return minutes % 60 === 0 ? `${minutes / 60}h` : `${minutes}m`;
}

export const agentsText = ({ agents }: Pick<AlertRuleContent, "agents">): string =>
  agents.length === 0 ? "every agent" : agents.join(", ");

const isMuted = (mutedUntil: string | null): mutedUntil is string =>
  mutedUntil !== null && Date.parse(mutedUntil) > Date.now();

const STATES: Record<Exclude<AlertRule["state"], "open">, string> = {
  disabled: "disabled",
  not_judged: "nothing judged yet",
  bad: "bad, but not often enough in a row",
  good: "good",
  too_few: "too few samples",
  no_data: "no samples",
};

export function ruleStateText({ state, mutedUntil, mutedAgents, openAlerts }: AlertRule): string {
  const text = state === "open" ? counted(openAlerts, "open alert") : STATES[state];
  if (isMuted(mutedUntil)) return `${text}, muted until ${moment(mutedUntil)}`;
  return mutedAgents.length === 0 ? text : `${text}, muted for ${counted(mutedAgents.length, "agent")}`;
}

/** Returns for how many agents the last window was good, bad, or could not be judged. */
function lastWindowText({ lastWindow }: AlertRule): string | undefined {
  if (lastWindow === null) return undefined;
  const { good, bad, tooFew, noData } = lastWindow;
  const parts = [
    [good, "good"],
    [bad, "bad"],
    [tooFew, "too few samples"],
    [noData, "no samples"],
  ] as const;
  const shown = parts.filter(([agents]) => agents > 0).map(([agents, words]) => `${counted(agents, "agent")} ${words}`);
  return shown.length === 0 ? "no agents" : shown.join(", ");
}

export const mutedAgentText = ({ agentName, until }: AlertRule["mutedAgents"][number]): string =>
  `${agentName ?? "conversations without an agent name"} until ${moment(until)}`;

export const ruleText = (rule: AlertRule): string =>
  `${paint.bold(rule.name)}\n${facts([
    ["Id", rule.id],
    ["Bad when", badWhenText(rule)],
    ["Usual is", "usual" in rule.condition ? USUAL_MEANINGS[rule.condition.usual] : undefined],
    ["Confidence", "usual" in rule.condition ? String(rule.condition.confidence) : undefined],
    ["Agents", agentsText(rule)],
    ["Versions", rule.agentVersions.length === 0 ? undefined : rule.agentVersions.join(", ")],
    ["Channels", rule.channels.length === 0 ? undefined : rule.channels.join(", ")],
    ["Source", rule.source],
    ["Window", windowText(rule.windowMinutes)],
    ["Min samples", rule.watch.kind === "conversations" ? undefined : String(rule.minSamples)],
    ["In a row", counted(rule.windowsInRow, "window")],
    ["No data", rule.watch.kind === "conversations" ? undefined : rule.noData],
    ["Severity", rule.severity],
    ["Tells", rule.destinationIds.length === 0 ? undefined : rule.destinationIds.join(", ")],
    ["Reminds", rule.remindAfterMinutes === null ? undefined : `every ${windowText(rule.remindAfterMinutes)}`],
    ["State", ruleStateText(rule)],
    ["Last window", lastWindowText(rule)],
    ["Muted", rule.mutedAgents.length === 0 ? undefined : rule.mutedAgents.map(mutedAgentText).join("\n")],
    ["Judged to", rule.evaluatedTo === null ? undefined : moment(rule.evaluatedTo)],
    ["Next step", rule.openAlerts > 0 ? `svc alerts list --state open --rule ${rule.id}` : undefined],
  ])}`;

export const alertValueText = ({ value, unit }: Pick<Alert, "value" | "unit">): string =>
  value === null ? "no data" : watchedValueText(value, unit);

export const agentText = ({ agentName }: Pick<Alert, "agentName">): string => agentName ?? "without a name";

/** One line for each conversation that raised the alert, worst first. */
function conversationsText({ id, unit, conversations }: Alert): string | undefined {
  if (conversations.length === 0) return undefined;
  const lines = conversations.map(({ traceId, turn, value }) =>
    [
      traceId,
      ...(value === null ? [] : [watchedValueText(value, unit)]),
      ...(turn === null ? [] : [`turn ${turn + 1}`]),
    ].join("  "),
  );
  return [...lines, `All of them: svc traces list --alert ${id}`].join("\n");
}

const BECAUSE = { recovered: "it is good again", rule_changed: "the rule changed" };

export const alertText = (alert: Alert): string =>
  `${paint.bold(`${agentText(alert)}: ${alert.what} was ${alertValueText(alert)}, ${alertLimitText(alert)}`)}\n${facts([
    ["Id", alert.id],
    ["Rule", `${alert.ruleName} (${alert.alertRuleId})`],
    ["Severity", alert.severity],
    ["State", alert.state],
    ["Samples", String(alert.samples)],
    ["95 % interval", alertIntervalText(alert)],
    ["Window", `${moment(alert.windowStartedAt)} to ${moment(alert.raisedAt)}`],
    ["Raised", ago(alert.raisedAt)],
    [
      "Cleared",
      alert.clearedAt === null
        ? undefined
        : `${ago(alert.clearedAt)}${alert.clearedBecause === null ? "" : `, because ${BECAUSE[alert.clearedBecause]}`}`,
    ],
    [
      "Acknowledged",
      alert.acknowledgedAt === null
        ? undefined
        : `${ago(alert.acknowledgedAt)} by ${alert.acknowledgedBy ?? "somebody who has left"}`,
    ],
    ["Note", alert.note ?? undefined],
    ["Conversations", conversationsText(alert)],
    [
      "Next step",
      alert.state === "open" && alert.acknowledgedAt === null
        ? `svc alerts acknowledge ${alert.id} --note "…"`
        : undefined,
    ],
  ])}`;
