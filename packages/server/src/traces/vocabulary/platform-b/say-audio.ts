import type { SpanNode } from "../../conversation/span-tree.ts";
import type { NodesByName } from "./nodes-by-name.ts";
import type { Speech } from "./speeches.ts";

/** Names of spans whose parent is the session span. The session span arrives last or never. */
const CHILDREN_OF_SESSION = new Set([
  "user_turn",
  "agent_turn",
  "assistant_turn",
  "start_agent_activity",
  "drain_agent_activity",
]);

const ACTIVITY_SPANS = new Set(["on_enter", "on_exit", "start_agent_activity", "drain_agent_activity"]);

/**
 * Returns the audio spans that belong to no speech, such as the audio of `session.say()` in JavaScript, which has no turn span. Leaves
 * out audio whose parent span has not arrived, because the parent may be a turn. Exception: audio whose parent is the session span is
 * included.
 */
export function sayAudio(nodes: readonly SpanNode[], named: NodesByName, speechOf: Map<SpanNode, Speech>): SpanNode[] {
  const audio = named("agent_speaking").filter((node) => !speechOf.has(node));
  if (audio.length === 0) return [];
  const sessions = new Set(
    nodes.filter(({ span }) => CHILDREN_OF_SESSION.has(span.name)).map(({ span }) => span.traceId + span.parentSpanId),
  );
  const isOutsideTurns = new Map<SpanNode, boolean>();
  for (const node of nodes) {
    const { span, parent } = node;
    const outermost = span.parentSpanId === null || sessions.has(span.traceId + span.parentSpanId);
    isOutsideTurns.set(
      node,
      ACTIVITY_SPANS.has(span.name) || (parent === null ? outermost : isOutsideTurns.get(parent)!),
    );
  }
  return audio.filter((node) => isOutsideTurns.get(node));
}
