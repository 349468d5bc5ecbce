import type { SpanNode } from "../../conversation/span-tree.ts";
import type { TurnDraft } from "../vocabulary.ts";
import { isAgentTurn } from "./names.ts";

/** Turn to which a span belongs, and pipeline node (`llm_node` or `tts_node`) that contains the span. */
export type SpanPosition = { turn: TurnDraft | null; stage: SpanNode | null };

const STAGES = new Set(["llm_node", "tts_node"]);

/** `nodes` must have parents before children. */
export function spanPositions(nodes: readonly SpanNode[], turns: readonly TurnDraft[]): Map<SpanNode, SpanPosition> {
  const turnsOf = (role: TurnDraft["role"]) =>
    new Map(turns.flatMap((turn) => (turn.role === role ? turn.spanIds.map((id) => [id, turn] as const) : [])));
  const turnOf = { user: turnsOf("user"), agent: turnsOf("agent") };
  const positionOf = new Map<SpanNode, SpanPosition>();
  for (const node of nodes) {
    const { name, spanId } = node.span;
    const above = node.parent && positionOf.get(node.parent);
    const own = name === "user_turn" ? turnOf.user.get(spanId) : turnOf.agent.get(spanId);
    const begins = name === "user_turn" || isAgentTurn(node.span);
    positionOf.set(node, {
      turn: own ?? (begins ? null : (above?.turn ?? null)),
      stage: STAGES.has(name) ? node : (above?.stage ?? null),
    });
  }
  return positionOf;
}
