import { prefixLength } from "../../prefix-length.ts";
import { byStart } from "../../conversation/span-tree.ts";
import type { StoredSpan } from "../../stored-span.ts";
import { nameOf } from "../attribute-values.ts";

/** Returns the name of the agent that is active at the start of the span; null when unknown. */
export type AgentNames = (span: StoredSpan) => string | null;

const BEGINS_ACTIVITY = new Set(["agent_session", "start_agent_activity", "resume_agent_activity"]);

/**
 * Since version 1.8 of LiveKit Agents, the span of a turn names its agent. Before 1.8, the name is on the span of the activity that began
 * last. The name of the first agent is on the session's span.
 */
export function agentNames(spans: readonly StoredSpan[]): AgentNames {
  const activities = spans
    .filter(({ name, attributes }) => BEGINS_ACTIVITY.has(name) && nameOf(attributes["lk.agent_label"]) !== null)
    .sort(byStart);
  return (span) => {
    const own = nameOf(span.attributes["gen_ai.agent.name"]) ?? nameOf(span.attributes["lk.agent_label"]);
    if (own !== null) return own;
    const begun = prefixLength(activities, ({ startNs }) => startNs <= span.startNs);
    return nameOf(activities[begun - 1]?.attributes["lk.agent_label"]);
  };
}
