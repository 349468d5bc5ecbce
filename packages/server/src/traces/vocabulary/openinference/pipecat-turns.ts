import type { SpanNode } from "../../conversation/span-tree.ts";
import type { StoredSpan } from "../../stored-span.ts";
import { flagOf, milliseconds, textOf } from "../attribute-values.ts";
import { EMPTY_TURN_REPORT } from "../empty-turn-report.ts";
import { playedPart } from "../played-part.ts";
import type { DraftOf, TurnDraft, TurnReport } from "../vocabulary.ts";

/** A turn in Pipecat's sense: a turn of the user and the agent's answer. */
type Round = { span: StoredSpan; agent: TurnDraft | null };

/**
 * Marks the agent turns that were interrupted according to the turn spans of Pipecat's instrumentation. Returns the reported latencies. A
 * turn span without a latency of its own repeats the latency of the turn before.
 */
export function readPipecatTurns(
  nodes: readonly SpanNode[],
  turns: readonly TurnDraft[],
  turnOfSpan: (span: StoredSpan) => TurnDraft | null,
): DraftOf<TurnReport>[] {
  const rounds = roundsOf(nodes, turnOfSpan);
  let previousMs: number | null = null;
  return rounds.flatMap(({ span, agent: answer }, index) => {
    const { attributes } = span;
    const played = textOf(attributes["output.value"]);
    const agent = answer ?? turns.find((turn) => turn.role === "agent" && isSame(turn, played)) ?? null;
    const reportedMs = milliseconds(attributes["conversation.user_to_bot_latency"], "seconds");
    const responseLatencyMs = reportedMs === previousMs ? null : reportedMs;
    previousMs = reportedMs;
    if (agent === null) return [];
    agent.interrupted = interrupted(attributes, index < rounds.length - 1);
    if (agent.interrupted === true) agent.heardText = playedPart(agent.text, played);
    const interruptedBy = agent.interrupted === true ? "user" : null;
    if (responseLatencyMs === null && interruptedBy === null) return [];
    return [{ ...EMPTY_TURN_REPORT, turn: agent, responseLatencyMs, interruptedBy }];
  });
}

function roundsOf(nodes: readonly SpanNode[], turnOfSpan: (span: StoredSpan) => TurnDraft | null): Round[] {
  const roundOf = new Map<SpanNode, Round>();
  const rounds: Round[] = [];
  for (const node of nodes) {
    const round =
      node.span.name === "pipecat.conversation.turn" ? { span: node.span, agent: null } : above(node, roundOf);
    if (round === undefined) continue;
    roundOf.set(node, round);
    if (round.span === node.span) rounds.push(round);
    else round.agent ??= turnOfSpan(node.span);
  }
  return rounds.sort((a, b) => (a.span.startNs < b.span.startNs ? -1 : a.span.startNs > b.span.startNs ? 1 : 0));
}

const above = ({ parent }: SpanNode, roundOf: Map<SpanNode, Round>) =>
  parent === null ? undefined : roundOf.get(parent);

const isSame = ({ text }: TurnDraft, played: string | null) =>
  text !== null && played !== null && text.trim() === played.trim();

/**
 * Returns whether the user interrupted the turn; null when unknown. The end of the call also marks the last turn as interrupted, so this
 * mark counts only when another turn follows.
 */
function interrupted(attributes: StoredSpan["attributes"], hasNext: boolean): boolean | null {
  const flag = flagOf(attributes["conversation.was_interrupted"]);
  return flag === true && !hasNext ? null : flag;
}
