import { headCount } from "../../sorted.ts";
import type { SpanNode } from "../../span-tree.ts";
import { SIMULATION_SCOPE } from "../simulation.ts";
import type { OfTurn, Reading, Speaking, TurnDraft } from "../vocabulary.ts";
import type { Place } from "./places.ts";

const WITH_AUDIO = new Set(["user_speaking", "tts_node", "tts_request", "realtime_inference", "realtime_metrics"]);

export type SpokenAudio = Pick<Reading, "modality" | "userSpeech" | "agentSpeech">;

/** When each party's audio was heard. A typed session has `agent_speaking` spans too, for text that is printed. */
export function spokenAudio(
  nodes: readonly SpanNode[],
  turns: readonly TurnDraft[],
  placeOf: Map<SpanNode, Place>,
): SpokenAudio {
  const modality = modalityOf(nodes, turns, placeOf);
  const speech = (name: string) => nodes.flatMap((node) => (node.span.name === name ? speaking(node, placeOf) : []));
  return {
    modality,
    userSpeech: withTurns(speech("user_speaking"), turns),
    agentSpeech: modality === "text" ? [] : speech("agent_speaking"),
  };
}

function modalityOf(
  nodes: readonly SpanNode[],
  turns: readonly TurnDraft[],
  placeOf: Map<SpanNode, Place>,
): Reading["modality"] {
  // Spoken to by text, though its greeting may have been synthesised before the sound was taken away.
  if (nodes.some(({ span }) => span.scopeName === SIMULATION_SCOPE)) return "text";
  const isHeard = (node: SpanNode) => node.span.name === "user_turn" && placeOf.get(node)?.turn;
  if (nodes.some((node) => WITH_AUDIO.has(node.span.name) || isHeard(node))) return "voice";
  return turns.some((turn) => turn.role === "user") ? "text" : null;
}

/** What has not ended, or ended before it began, is no known stretch. */
function speaking(node: SpanNode, placeOf: Map<SpanNode, Place>): OfTurn<Speaking>[] {
  const { startNs, endNs, spanId } = node.span;
  if (endNs === null || endNs < startNs) return [];
  return [{ startNs, endNs, spanId, turn: placeOf.get(node)?.turn ?? null }];
}

/** Speech that hangs on no turn belongs to the user's turn in whose time it begins. */
function withTurns(speech: OfTurn<Speaking>[], turns: readonly TurnDraft[]): OfTurn<Speaking>[] {
  if (speech.every(({ turn }) => turn !== null)) return speech;
  const heard = turns
    .filter((turn) => turn.role === "user" && turn.endNs !== null)
    .sort((a, b) => (a.startNs < b.startNs ? -1 : a.startNs > b.startNs ? 1 : 0));
  return speech.map((stretch) =>
    stretch.turn === null ? { ...stretch, turn: turnAt(heard, stretch.startNs) } : stretch,
  );
}

function turnAt(heard: readonly TurnDraft[], ns: bigint): TurnDraft | null {
  const turn = heard[headCount(heard, ({ startNs }) => startNs <= ns) - 1];
  return turn !== undefined && ns <= turn.endNs! ? turn : null;
}
