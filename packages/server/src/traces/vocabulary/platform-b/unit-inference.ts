import { prefixLength } from "../../prefix-length.ts";
import type { SpanNode } from "../../conversation/span-tree.ts";
import { numberOf } from "../attribute-values.ts";
import type { InferredUnit } from "../vocabulary.ts";
import { AGENT_TURNS, endOfTurnDelay } from "./names.ts";
import type { NodesByName } from "./nodes-by-name.ts";
import type { SpanPosition } from "./span-positions.ts";
import type { SpokenAudio } from "./spoken-audio.ts";

/** A duration from an attribute without a unit, and the same duration according to the times of the spans. */
type DurationPair = { stated: number; measuredMs: number };

/** Two durations agree when each is less than this many times the other. With a wrong unit, they would differ by a factor of 1000. */
const FACTOR = 10;

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

/** Returns each end-of-turn delay from the attributes with the measured time from the last speech to the end of the turn. */
export function delayPairs(
  named: NodesByName,
  positionOf: Map<SpanNode, SpanPosition>,
  audio: SpokenAudio,
): DurationPair[] {
  const lastSpeech = new Map<unknown, bigint>();
  for (const { turn, endNs } of audio.userSpeech) {
    const earlier = lastSpeech.get(turn);
    if (earlier === undefined || endNs > earlier) lastSpeech.set(turn, endNs);
  }
  return named("user_turn").flatMap((node) => {
    const stated = numberOf(endOfTurnDelay(node.span));
    const speechEnd = lastSpeech.get(positionOf.get(node)!.turn ?? node);
    if (stated === null || speechEnd === undefined || node.span.endNs === null) return [];
    return { stated, measuredMs: Number(node.span.endNs - speechEnd) / 1e6 };
  });
}

/** Returns each response latency from the attributes with the measured time from the user's last speech to the turn's first audio. */
export function latencyPairs(
  named: NodesByName,
  positionOf: Map<SpanNode, SpanPosition>,
  audio: SpokenAudio,
): DurationPair[] {
  const ends = audio.userSpeech.map(({ endNs }) => endNs).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const firstAudio = new Map<unknown, bigint>();
  for (const { turn, startNs } of audio.agentSpeech) {
    const earlier = firstAudio.get(turn);
    if (earlier === undefined || startNs < earlier) firstAudio.set(turn, startNs);
  }
  return AGENT_TURNS.flatMap(named).flatMap((node) => {
    const stated = numberOf(node.span.attributes["lk.e2e_latency"]);
    const audibleAt = firstAudio.get(positionOf.get(node)!.turn ?? node);
    if (stated === null || audibleAt === undefined) return [];
    const speechEnd = ends[prefixLength(ends, (endNs) => endNs <= audibleAt) - 1];
    return speechEnd === undefined ? [] : { stated, measuredMs: Number(audibleAt - speechEnd) / 1e6 };
  });
}
