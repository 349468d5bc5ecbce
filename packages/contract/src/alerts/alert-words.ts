import { cutText } from "../core/cut-text.ts";
import { LIMITS } from "../core/limits.ts";
import { MEASURES } from "../traces/measures.ts";
import type { AlertRule, AlertRuleContent } from "./alert-rules.ts";

/** The lengths of a rule's window, in minutes. Windows begin at whole multiples of their length in UTC. */
export const ALERT_WINDOWS_MINUTES = [5, 15, 30, 60, 180, 360, 720, 1_440, 10_080] as const;

/** The severities of alerts, the mildest first. */
export const SEVERITIES = ["info", "warning", "critical"] as const;
/** How much an alert matters. */
export type Severity = (typeof SEVERITIES)[number];

/** The states of an alert. */
export const ALERT_STATES = ["open", "cleared"] as const;
/** A state of an alert. */
export type AlertState = (typeof ALERT_STATES)[number];

/** What a window without any sample is, with its meaning. */
export const NO_DATA_MEANINGS = {
  ok: "A window without any sample is good.",
  keep: "A window without any sample changes nothing.",
  alert: "A window without any sample is bad.",
} as const;
/** What a rule does with a window without any sample. */
export type NoData = keyof typeof NO_DATA_MEANINGS;

/** Returns a value of what a rule watches with its unit: `2.40 s`, `3.1 %`. */
export function watchedValueText(value: number, unit: string): string {
  if (unit === "ms") return Math.abs(value) >= 1_000 ? `${(value / 1000).toFixed(2)} s` : `${Math.round(value)} ms`;
  if (unit === "ratio") return `${(value * 100).toFixed(1)} %`;
  return `${Number(value.toFixed(2))}${unit === "count" ? "" : ` ${unit}`}`;
}

const LETTERS = /[A-Z]{2}/;
const lowered = (label: string) => (LETTERS.test(label) ? label : label.toLowerCase());

/** Returns what a rule watches, in words, and its unit. */
export function watchedWords(watch: AlertRuleContent["watch"]): { what: string; unit: string } {
  switch (watch.kind) {
    case "measure": {
      const { label, unit } = MEASURES[watch.measure];
      return { what: `${watch.statistic} of ${lowered(label)}`, unit };
    }
    case "errors":
      return { what: "share of conversations with an error", unit: "ratio" };
    case "tool_errors":
      return {
        what: watch.tool === null ? "share of failed tool calls" : `share of failed calls of ${watch.tool}`,
        unit: "ratio",
      };
    case "conversations":
      return { what: "number of conversations", unit: "count" };
  }
}

/** Returns when a window is bad, in words: `p95 of response latency above 2.00 s`. */
export function badWhenText({ watch, condition }: Pick<AlertRuleContent, "watch" | "condition">): string {
  const { what, unit } = watchedWords(watch);
  return `${what} ${condition.is} ${watchedValueText(condition.value, unit)}`;
}

/** Returns what a stored rule watches and when it raises an alert, as a preview takes it. */
export function contentOfRule(rule: AlertRuleContent | AlertRule): AlertRuleContent {
  const { name, watch, agents, source, windowMinutes, condition, minSamples, windowsInRow, noData, severity } = rule;
  return { name, watch, agents, source, windowMinutes, condition, minSamples, windowsInRow, noData, severity };
}

const EVERY_HOUR = {
  agents: [],
  source: "production",
  windowMinutes: 60,
  minSamples: 20,
  windowsInRow: 1,
  noData: "keep",
  severity: "warning",
} as const satisfies Partial<AlertRuleContent>;

/** Rules that most projects want, each for every agent with production conversations and windows of an hour. */
export const READY_ALERT_RULES = {
  "slow-answers": {
    ...EVERY_HOUR,
    name: "Answers are slow",
    watch: { kind: "measure", measure: "response_latency", statistic: "p95" },
    condition: { is: "above", value: 2_000 },
  },
  "failed-tools": {
    ...EVERY_HOUR,
    name: "Tools fail",
    watch: { kind: "tool_errors", tool: null },
    condition: { is: "above", value: 0.1 },
  },
  "conversation-errors": {
    ...EVERY_HOUR,
    name: "Conversations have errors",
    watch: { kind: "errors" },
    condition: { is: "above", value: 0.05 },
  },
  "no-conversations": {
    ...EVERY_HOUR,
    name: "No conversations arrive",
    watch: { kind: "conversations" },
    condition: { is: "below", value: 1 },
  },
  "slow-greeting": {
    ...EVERY_HOUR,
    name: "The greeting is slow",
    watch: { kind: "measure", measure: "greeting_latency", statistic: "p95" },
    condition: { is: "above", value: 3_000 },
  },
} as const satisfies Record<string, Omit<AlertRuleContent, "agents"> & { agents: readonly [] }>;

/** The name of a ready rule. */
export type ReadyAlertRule = keyof typeof READY_ALERT_RULES;

/** Returns the content of a ready rule, of every agent or of some, whose names are then in its name. */
export function readyAlertRule(ready: ReadyAlertRule, agents: readonly string[] = []): AlertRuleContent {
  const rule = READY_ALERT_RULES[ready];
  const name = agents.length === 0 ? rule.name : `${rule.name}: ${agents.join(", ")}`;
  return { ...rule, name: cutText(name, LIMITS.nameCharacters), agents: [...agents] };
}
