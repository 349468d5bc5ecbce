import { cutText } from "../core/cut-text.ts";
import { LIMITS } from "../core/limits.ts";
import type { AlertRuleContent } from "./alert-rules.ts";

const EVERY_HOUR = {
  agents: [],
  agentVersions: [],
  channels: [],
  source: "production",
  windowMinutes: 60,
  minSamples: 20,
  windowsInRow: 1,
  noData: "keep",
  severity: "warning",
  destinationIds: [],
  remindAfterMinutes: null,
} as const satisfies Partial<AlertRuleContent>;

/** Alert rules that most projects want. Each rule covers every agent in production. */
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
  "grader-failures": {
    ...EVERY_HOUR,
    name: "Graders fail conversations",
    watch: { kind: "grader_failures", grader: null },
    condition: { is: "above", value: 0.1 },
  },
  voicemail: {
    ...EVERY_HOUR,
    name: "Calls reach voicemail",
    watch: { kind: "endings", ending: "voicemail_reached" },
    condition: { is: "above", value: 0.25 },
  },
  "no-conversations": {
    ...EVERY_HOUR,
    name: "No conversations arrive",
    watch: { kind: "conversations" },
    condition: { is: "below", value: 1 },
  },
  "fewer-conversations": {
    ...EVERY_HOUR,
    name: "Fewer conversations than usual",
    watch: { kind: "conversations" },
    condition: { is: "below", usual: "same_hours", confidence: 0.999 },
    windowsInRow: 2,
  },
  "failed-imports": {
    ...EVERY_HOUR,
    name: "Imports fail",
    watch: { kind: "import_failures" },
    windowMinutes: 15,
    condition: { is: "above", value: 0 },
  },
  "slow-greeting": {
    ...EVERY_HOUR,
    name: "The greeting is slow",
    watch: { kind: "measure", measure: "greeting_latency", statistic: "p95" },
    condition: { is: "above", value: 3_000 },
  },
  "dead-air": {
    ...EVERY_HOUR,
    name: "Silences are long",
    watch: { kind: "measure", measure: "silence", statistic: "mean" },
    condition: { is: "above", value: 6_000 },
    minSamples: 10,
  },
} as const satisfies Record<
  string,
  Omit<AlertRuleContent, "agents" | "agentVersions" | "channels" | "destinationIds"> & {
    agents: readonly [];
    agentVersions: readonly [];
    channels: readonly [];
    destinationIds: readonly [];
  }
>;

/** Name of a rule of `READY_ALERT_RULES`. */
export type ReadyAlertRule = keyof typeof READY_ALERT_RULES;

/**
 * Returns the content of a rule of `READY_ALERT_RULES` for the given agents, whose names become part of the rule's name. An empty list
 * means every agent.
 */
export function readyAlertRule(ready: ReadyAlertRule, agents: readonly string[] = []): AlertRuleContent {
  const rule = READY_ALERT_RULES[ready];
  const name = agents.length === 0 ? rule.name : `${rule.name}: ${agents.join(", ")}`;
  const none = { agentVersions: [], channels: [], destinationIds: [] };
  return { ...rule, name: cutText(name, LIMITS.nameCharacters), agents: [...agents], ...none };
}
