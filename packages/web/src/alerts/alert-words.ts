import type { Alert, AlertRule, AlertRuleContent } from "@svc/contract";
import { watchedValueText } from "@svc/contract/constants";

/** The start and the end of a window. */
type Window = { from: string; to: string };

/** Returns the name of an alert's agent. */
export const agentWords = (agentName: string | null): string => agentName ?? "Agent without a name";

/** Returns the value of an alert, or that there was none. */
export const valueWords = ({ value, unit }: Pick<Alert, "value" | "unit">): string =>
  value === null ? "no data" : watchedValueText(value, unit);

/** Returns the length of a window: `15 minutes`, `1 hour`, `7 days`. */
export function windowWords(minutes: number): string {
  const [count, noun] =
    minutes % 1_440 === 0
      ? [minutes / 1_440, "day"]
      : minutes % 60 === 0
        ? [minutes / 60, "hour"]
        : [minutes, "minute"];
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

export type RuleState = "disabled" | "open" | "muted" | "new" | "good";

export const isMuted = ({ mutedUntil }: Pick<AlertRule, "mutedUntil">, nowMs = Date.now()): boolean =>
  mutedUntil !== null && Date.parse(mutedUntil) > nowMs;

/** Returns how it goes with a rule. Nothing that was never judged is called good. */
export function stateOfRule({ enabled, openAlerts, evaluatedTo }: AlertRule): Exclude<RuleState, "muted"> {
  if (!enabled) return "disabled";
  if (openAlerts > 0) return "open";
  return evaluatedTo === null ? "new" : "good";
}

type Watched = Pick<AlertRuleContent, "watch" | "source" | "condition" | "agentVersions">;

/** Returns the filters of the list of conversations that show what was behind a window of one agent. */
export function searchOfWindow(
  { watch, source, condition, agentVersions }: Watched,
  agentName: string | null,
  window: Window,
) {
  const isSlow = watch.kind === "measure" && condition.is === "above" && watch.measure === "response_latency";
  return {
    ...window,
    source,
    ...(agentName === null ? { withoutAgent: "true" as const } : { agent: agentName }),
    // The list has a filter of one version.
    ...(agentVersions.length === 1 && { version: agentVersions[0] }),
    ...(watch.kind === "errors" && { status: "error" as const }),
    ...(watch.kind === "tool_errors" && watch.tool !== null && { tool: watch.tool }),
    ...(watch.kind === "endings" && { ending: watch.ending }),
    ...(watch.kind === "grader_failures" && { verdict: "failed" as const }),
    ...(isSlow && { sort: "-latency" as const }),
  };
}
