import { prefixLength } from "../../prefix-length.ts";
import type { SpanNode } from "../../conversation/span-tree.ts";
import { isTypedSimulation } from "../simulation-names.ts";
import type { DraftOf, ConversationDraft, SpeechPeriod, TurnDraft } from "../vocabulary.ts";
import type { NodesByName } from "./nodes-by-name.ts";
import type { SpanPosition } from "./span-positions.ts";
import { areUserTimesKnown } from "./user-times.ts";

const SPANS_WITH_AUDIO = [
  "user_speaking",
  "tts_node",
  "tts_request",
  "realtime_inference",
  "realtime_metrics",
  "svc.user_transcript",
];

export type SpokenAudio = Pick<ConversationDraft, "modality" | "userSpeech" | "agentSpeech" | "thirdPartySpeech">;

/**
 * Returns whether the session is spoken or typed, and its periods of speech. Ignores the `agent_speaking` spans of a typed session, which
 * prints the text instead of speaking it.
 */
export function spokenAudio(
  nodes: readonly SpanNode[],
  named: NodesByName,
  turns: readonly TurnDraft[],
  positionOf: Map<SpanNode, SpanPosition>,
): SpokenAudio {
  const modality = modalityOf(nodes, named, turns, positionOf);
  const periods = (name: string) => named(name).flatMap((node) => speechPeriodOf(node, positionOf));
  return {
    modality,
    userSpeech: areUserTimesKnown(named) ? withTurns(periods("user_speaking"), turns) : [],
    agentSpeech: modality === "text" ? [] : periods("agent_speaking"),
    thirdPartySpeech: [],
  };
}

function modalityOf(
  nodes: readonly SpanNode[],
  named: NodesByName,
  turns: readonly TurnDraft[],
  positionOf: Map<SpanNode, SpanPosition>,
): ConversationDraft["modality"] {
  // In a simulation by text, the agent may have synthesised its greeting before its audio output was turned off.
  if (isTypedSimulation(nodes.map(({ span }) => span))) return "text";
  if (SPANS_WITH_AUDIO.some((name) => named(name).length > 0)) return "voice";
  if (named("user_turn").some((node) => positionOf.get(node)?.turn)) return "voice";
  return turns.some((turn) => turn.role === "user") ? "text" : null;
}

function speechPeriodOf(node: SpanNode, positionOf: Map<SpanNode, SpanPosition>): DraftOf<SpeechPeriod>[] {
  const { startNs, endNs, spanId } = node.span;
  if (endNs === null || endNs < startNs) return [];
  return [{ startNs, endNs, spanId, turn: positionOf.get(node)?.turn ?? null }];
}

/**
 * Assigns each period of speech without a turn to the user turn that is in progress when the period starts. A turn that comes from a span
 * of this project's helper library can begin just after its period; then the middle of the period decides.
 */
function withTurns(periods: DraftOf<SpeechPeriod>[], turns: readonly TurnDraft[]): DraftOf<SpeechPeriod>[] {
  if (periods.every(({ turn }) => turn !== null)) return periods;
  const userTurns = turns
    .filter((turn) => turn.role === "user" && turn.endNs !== null)
    .sort((a, b) => (a.startNs < b.startNs ? -1 : a.startNs > b.startNs ? 1 : 0));
  return periods.map((period) =>
    period.turn === null
      ? { ...period, turn: turnAt(userTurns, period.startNs) ?? turnAt(userTurns, middleOf(period)) }
      : period,
  );
}

const middleOf = ({ startNs, endNs }: DraftOf<SpeechPeriod>): bigint => (startNs + endNs) / 2n;

function turnAt(turns: readonly TurnDraft[], ns: bigint): TurnDraft | null {
  const turn = turns[prefixLength(turns, ({ startNs }) => startNs <= ns) - 1];
  return turn !== undefined && ns <= turn.endNs! ? turn : null;
}
