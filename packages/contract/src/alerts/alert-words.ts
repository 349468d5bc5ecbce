/** The lengths of a rule's window, in minutes. Windows begin at whole multiples of their length in UTC. */
export const ALERT_WINDOWS_MINUTES = [5, 15, 30, 60, 180, 360, 720, 1_440, 10_080] as const;

/** What a window is compared with by a rule without a fixed limit, with its meaning. */
export const USUAL_MEANINGS = {
  windows_before: "The 24 windows before.",
  same_hours: "The windows within two hours of the same time, on the same day of the last four weeks.",
} as const;
/** What a window is compared with. */
export type Usual = keyof typeof USUAL_MEANINGS;

/** How sure a rule without a fixed limit must be that a window differs by more than chance. */
export const CONFIDENCES = [0.99, 0.999, 0.9999] as const;

/** The numbers of a measure that a rule can watch. */
export const WATCHED_STATISTICS = ["p50", "p90", "p95", "mean"] as const;
/** A number of a measure that a rule can watch. */
export type WatchedStatistic = (typeof WATCHED_STATISTICS)[number];

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

/** Returns the value that a rule watches, with its unit: `2.40 s`, `3.1 %`. */
export function watchedValueText(value: number, unit: string): string {
  if (unit === "ms") return Math.abs(value) >= 1_000 ? `${(value / 1000).toFixed(2)} s` : `${Math.round(value)} ms`;
  if (unit === "ratio") return `${(value * 100).toFixed(1)} %`;
  return `${Number(value.toFixed(2))}${unit === "count" ? "" : ` ${unit}`}`;
}
