import type { Alert, AlertRule, AlertRuleContent } from "@svc/contract";
import { watchedValueText } from "@svc/contract/constants";

/** Start and end of a window, as ISO 8601 times. */
type Window = { from: string; to: string };

export const agentWords = (agentName: string | null): string => agentName ?? "Agent without a name";

export const valueWords = ({ value, unit }: Pick<Alert, "value" | "unit">): string =>
  value === null ? "no data" : watchedValueText(value, unit);

export function windowWords(minutes: number): string {
  const [count, noun] =
    minutes % 1_440 === 0
      ? [minutes / 1_440, "day"]
      : minutes % 60 === 0
        ? [minutes / 60, "hour"]
        : [minutes, "minute"];
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

export const isMuted = ({ mutedUntil }: Pick<AlertRule, "mutedUntil">, nowMs = Date.now()): boolean =>
  mutedUntil !== null && Date.parse(mutedUntil) > nowMs;

/** Returns the mute of one agent; undefined if the agent is not muted. */
export const muteOf = (
  { mutedAgents }: Pick<AlertRule, "mutedAgents">,
  agentName: string | null,
  nowMs = Date.now(),
): AlertRule["mutedAgents"][number] | undefined =>
  mutedAgents.find((muted) => muted.agentName === agentName && Date.parse(muted.until) > nowMs);

/** A grader decides after the window, and a call that is not imported is no conversation, so a time has no conversations to open. */
export const opensWindows = ({ watch }: Pick<AlertRuleContent, "watch">): boolean =>
  watch.kind !== "grader_failures" && watch.kind !== "import_failures";

type Watched = Pick<AlertRuleContent, "watch" | "source" | "condition" | "agentVersions" | "channels">;

export function searchOfWindow(
  { watch, source, condition, agentVersions, channels }: Watched,
  agentName: string | null,
  window: Window,
) {
  const isSlow = watch.kind === "measure" && condition.is === "above" && watch.measure === "response_latency";
  return {
    ...window,
    source,
    ...(agentName === null ? { withoutAgent: "true" as const } : { agent: agentName }),
    // The page can filter by one version and one channel only.
    ...(agentVersions.length === 1 && { version: agentVersions[0] }),
    ...(channels.length === 1 && { channel: channels[0] }),
    ...(watch.kind === "errors" && { status: "error" as const }),
    ...(watch.kind === "tool_errors" && watch.tool !== null && { tool: watch.tool }),
    ...(watch.kind === "occurrences" && watch.measure === "user_interruptions" && { interrupted: "true" as const }),
    ...(watch.kind === "endings" && { ending: watch.ending }),
    ...(isSlow && { sort: "-latency" as const }),
  };
}
