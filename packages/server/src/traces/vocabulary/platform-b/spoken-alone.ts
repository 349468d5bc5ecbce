import type { SpanNode } from "../../span-tree.ts";
import type { Speech } from "./speeches.ts";

/** Spans that hang on the session, whose own span arrives last or never. */
const OF_SESSION = new Set([
  "user_turn",
  "agent_turn",
  "assistant_turn",
  "start_agent_activity",
  "drain_agent_activity",
]);

const OF_ACTIVITY = new Set(["on_enter", "on_exit", "start_agent_activity", "drain_agent_activity"]);

/**
 * Audio that belongs to no speech: the JavaScript `session.say()` makes no turn span. Audio whose parent was not received
 * is left out, unless that parent is the session: it may be a turn that is still to come.
 */
export function spokenAlone(nodes: readonly SpanNode[], speechOf: Map<SpanNode, Speech>): SpanNode[] {
  const sessions = new Set(
    nodes.filter(({ span }) => OF_SESSION.has(span.name)).map(({ span }) => span.traceId + span.parentSpanId),
  );
  const isAlone = new Map<SpanNode, boolean>();
  for (const node of nodes) {
    const { span, parent } = node;
    const outermost = span.parentSpanId === null || sessions.has(span.traceId + span.parentSpanId);
    isAlone.set(node, OF_ACTIVITY.has(span.name) || (parent === null ? outermost : isAlone.get(parent)!));
  }
  return nodes.filter((node) => node.span.name === "agent_speaking" && !speechOf.has(node) && isAlone.get(node));
}
