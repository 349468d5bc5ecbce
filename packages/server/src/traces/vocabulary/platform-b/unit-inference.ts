import { prefixLength } from "../../prefix-length.ts";
import type { SpanNode } from "../../span-tree.ts";
import { numberOf } from "../attribute-values.ts";
import type { InferredUnit } from "../vocabulary.ts";
import { endOfTurnDelay, isAgentTurn } from "./names.ts";
import type { SpanPosition } from "./span-positions.ts";
import type { SpokenAudio } from "./spoken-audio.ts";

/** A duration that an attribute states without a unit, and the same duration measured from the times of the spans. */
type DurationPair = { stated: number; measuredMs: number };

/** Durations agree if neither is more than this many times the other. A wrong unit makes the factor 1000. */
const FACTOR = 10;

/** Returns the unit with which most pairs agree; null if no pair decides, or as many pairs agree with either unit. */
export function inferUnit(pairs: readonly DurationPair[]): InferredUnit["unit"] | null {
  const agree = (a: number, b: number) => a < b * FACTOR && b < a * FACTOR;
  let votes = 0;
  for (const { stated, measuredMs } of pairs) {
    if (stated <= 0 || measuredMs < 1) continue;
    if (agree(stated, measuredMs)) votes++;
    else if (agree(stated * 1000, measuredMs)) votes--;
  }
  return votes > 0 ? "milliseconds" : votes < 0 ? "seconds" : null;
}

/** Returns the stated end-of-turn delays, each with the time from the last speech to the end of the turn. */
export function delayPairs(
  nodes: readonly SpanNode[],
  positionOf: Map<SpanNode, SpanPosition>,
  audio: SpokenAudio,
): DurationPair[] {
  const lastSpeech = new Map<unknown, bigint>();
  for (const { turn, endNs } of audio.userSpeech) {
    const earlier = lastSpeech.get(turn);
    if (earlier === undefined || endNs > earlier) lastSpeech.set(turn, endNs);
  }
  return nodes.flatMap((node) => {
    const stated = node.span.name === "user_turn" ? numberOf(endOfTurnDelay(node.span)) : null;
    const speechEnd = lastSpeech.get(positionOf.get(node)!.turn ?? node);
    if (stated === null || speechEnd === undefined || node.span.endNs === null) return [];
    return { stated, measuredMs: Number(node.span.endNs - speechEnd) / 1e6 };
  });
}

/** Returns the stated response latencies, each with the time from the user's last speech to the turn's first audio. */
export function latencyPairs(
  nodes: readonly SpanNode[],
  positionOf: Map<SpanNode, SpanPosition>,
  audio: SpokenAudio,
): DurationPair[] {
  const ends = audio.userSpeech.map(({ endNs }) => endNs).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const firstAudio = new Map<unknown, bigint>();
  for (const { turn, startNs } of audio.agentSpeech) {
    const earlier = firstAudio.get(turn);
    if (earlier === undefined || startNs < earlier) firstAudio.set(turn, startNs);
  }
  return nodes.flatMap((node) => {
    const stated = isAgentTurn(node.span) ? numberOf(node.span.attributes["lk.e2e_latency"]) : null;
    const audibleAt = firstAudio.get(positionOf.get(node)!.turn ?? node);
    if (stated === null || audibleAt === undefined) return [];
    const speechEnd = ends[prefixLength(ends, (endNs) => endNs <= audibleAt) - 1];
    return speechEnd === undefined ? [] : { stated, measuredMs: Number(audibleAt - speechEnd) / 1e6 };
  });
}
