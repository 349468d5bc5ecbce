import type { SpanNode } from "../../span-tree.ts";
import type { TurnDraft } from "../vocabulary.ts";
import { isAgentTurn } from "./names.ts";

/** Where a span lies: in which turn, and in which node of the pipeline (`llm_node`, `tts_node`). */
export type Place = { turn: TurnDraft | null; stage: SpanNode | null };

const STAGES = new Set(["llm_node", "tts_node"]);

/** Each span's place; `nodes` has parents before children. */
export function placeOfEach(nodes: readonly SpanNode[], turns: readonly TurnDraft[]): Map<SpanNode, Place> {
  const turnOf = { user: new Map<string, TurnDraft>(), agent: new Map<string, TurnDraft>() };
  for (const turn of turns) for (const id of turn.spanIds) turnOf[turn.role].set(id, turn);
  const placeOf = new Map<SpanNode, Place>();
  for (const node of nodes) {
    const { name, spanId } = node.span;
    const above = node.parent && placeOf.get(node.parent);
    const own = name === "user_turn" ? turnOf.user.get(spanId) : turnOf.agent.get(spanId);
    const begins = name === "user_turn" || isAgentTurn(node.span);
    placeOf.set(node, {
      turn: own ?? (begins ? null : (above?.turn ?? null)),
      stage: STAGES.has(name) ? node : (above?.stage ?? null),
    });
  }
  return placeOf;
}
