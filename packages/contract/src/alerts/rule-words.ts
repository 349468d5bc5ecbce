import { MEASURES } from "../traces/measures.ts";
import type { AlertRule, AlertRuleContent } from "./alert-rules.ts";
import type { Alert } from "./alerts.ts";
import { OCCURRENCES, type Usual, watchedValueText } from "./alert-words.ts";

const LETTERS = /[A-Z]{2}/;
const lowered = (label: string) => (LETTERS.test(label) ? label : label.toLowerCase());

/** Returns the watched value of a rule in words (`what`), and the unit of that value. */
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
    case "grader_failures":
      return {
        what:
          watch.grader === null
            ? "share of conversations that a grader failed"
            : `share of conversations that ${watch.grader} failed`,
        unit: "ratio",
      };
    case "endings":
      return { what: `share of conversations that ended as ${watch.ending}`, unit: "ratio" };
    case "occurrences":
      return { what: OCCURRENCES[watch.measure], unit: "ratio" };
    case "conversations":
      return { what: "number of conversations", unit: "count" };
    case "import_failures":
      return { what: "number of open import failures", unit: "count" };
  }
}

const USUAL_WORDS: Record<Usual, string> = {
  windows_before: "what is usual",
  same_hours: "what is usual at this time",
};

/** Returns the condition of a rule in words: `above 2.00 s`, `above what is usual`. */
export const conditionText = (condition: AlertRuleContent["condition"], unit: string): string =>
  `${condition.is} ${"value" in condition ? watchedValueText(condition.value, unit) : USUAL_WORDS[condition.usual]}`;

/** Returns the watched value and the condition of a rule in words: `p95 of response latency above 2.00 s`. */
export function badWhenText({ watch, condition }: Pick<AlertRuleContent, "watch" | "condition">): string {
  const { what, unit } = watchedWords(watch);
  return `${what} ${conditionText(condition, unit)}`;
}

/**
 * Returns the limit of an alert in words. Adds the usual value when the rule has no fixed limit: `above 2.40 s (usually 1.20 s)`.
 */
export function alertLimitText({ condition, usual, unit }: Pick<Alert, "condition" | "usual" | "unit">): string {
  const text = `${condition.is} ${watchedValueText(condition.value, unit)}`;
  return usual === null ? text : `${text} (usually ${watchedValueText(usual, unit)})`;
}

/** Returns the confidence interval of an alert's value in words: `1.90 s to 2.60 s`; undefined if it is unknown. */
export function alertIntervalText({ interval, unit }: Pick<Alert, "interval" | "unit">): string | undefined {
  // Alerts that an earlier version of the service wrote have no interval.
  const { low = null, high = null } = interval ?? {};
  if (low !== null && high !== null) return `${watchedValueText(low, unit)} to ${watchedValueText(high, unit)}`;
  if (low !== null) return `at least ${watchedValueText(low, unit)}`;
  return high === null ? undefined : `at most ${watchedValueText(high, unit)}`;
}

/** Returns the content of a rule without the members that only a stored rule has, such as its id. */
export function contentOfRule(rule: AlertRuleContent | AlertRule): AlertRuleContent {
  const { name, watch, agents, agentVersions, channels, source, windowMinutes, condition, minSamples, ...more } = rule;
  const { windowsInRow, noData, severity, destinationIds, remindAfterMinutes } = more;
  const watched = { watch, agents, agentVersions, channels, source, windowMinutes };
  const judged = { ...watched, condition, minSamples, windowsInRow, noData };
  return { name, ...judged, severity, destinationIds, remindAfterMinutes };
}
