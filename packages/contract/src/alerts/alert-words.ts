/** Lengths of an alert rule's time windows, in minutes. A window begins at a whole multiple of its length in UTC. */
export const ALERT_WINDOWS_MINUTES = [5, 15, 30, 60, 180, 360, 720, 1_440, 10_080] as const;

/** Baselines of an alert rule without a fixed limit, with their meanings. The rule compares each window with its baseline. */
export const USUAL_MEANINGS = {
  windows_before: "The 24 windows before.",
  same_hours: "The windows within two hours of the same time, on the same day of the last four weeks.",
} as const;
/** Baseline of an alert rule without a fixed limit. */
export type Usual = keyof typeof USUAL_MEANINGS;

/**
 * Confidence levels of an alert rule without a fixed limit: the required probability that a window differs from its baseline by more than
 * chance.
 */
export const CONFIDENCES = [0.99, 0.999, 0.9999] as const;

/** Statistics of a measure that an alert rule can watch. */
export const WATCHED_STATISTICS = ["p50", "p90", "p95", "mean"] as const;
/** Statistic of a measure that an alert rule can watch. */
export type WatchedStatistic = (typeof WATCHED_STATISTICS)[number];

/** Measures whose occurrence in a conversation an alert rule can watch, with the share in words. */
export const OCCURRENCES = {
  user_interruptions: "share of conversations in which the user interrupts the agent",
  agent_interruptions: "share of conversations in which the agent interrupts the user",
  unanswered_turns: "share of conversations with an unanswered turn",
} as const;
/** Measure whose occurrence in a conversation an alert rule can watch. */
export type Occurrence = keyof typeof OCCURRENCES;

/** Severities of alerts, in ascending order. */
export const SEVERITIES = ["info", "warning", "critical"] as const;
/** Severity of an alert. */
export type Severity = (typeof SEVERITIES)[number];

/** States of an alert. */
export const ALERT_STATES = ["open", "cleared"] as const;
/** State of an alert. */
export type AlertState = (typeof ALERT_STATES)[number];

/** States of an alert rule, with their meanings. The first that applies is the state. */
export const ALERT_RULE_STATES = {
  disabled: "It is disabled.",
  open: "It has an open alert.",
  not_judged: "It has judged no window yet.",
  bad: "The last window of an agent was bad, and not enough windows in a row were.",
  good: "The last window was good for all agents that had enough samples.",
  too_few: "In the last window, no agent had enough samples to be judged.",
  no_data: "In the last window, no agent had a sample.",
} as const;
/** State of an alert rule. */
export type AlertRuleState = keyof typeof ALERT_RULE_STATES;

/** Choices for how an alert rule treats a time window without any sample, with their meanings. */
export const NO_DATA_MEANINGS = {
  ok: "A window without any sample is good.",
  keep: "A window without any sample changes nothing.",
  alert: "A window without any sample is bad.",
} as const;
/** Choice for how an alert rule treats a time window without any sample. */
export type NoData = keyof typeof NO_DATA_MEANINGS;

/** Formats a watched value with its unit: `2.40 s`, `3.1 %`. */
export function watchedValueText(value: number, unit: string): string {
  if (unit === "ms") return Math.abs(value) >= 1_000 ? `${(value / 1000).toFixed(2)} s` : `${Math.round(value)} ms`;
  if (unit === "ratio") return `${(value * 100).toFixed(1)} %`;
  return `${Number(value.toFixed(2))}${unit === "count" ? "" : ` ${unit}`}`;
}
