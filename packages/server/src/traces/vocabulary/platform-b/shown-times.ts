import { headCount } from "../../sorted.ts";
import type { SpanNode } from "../../span-tree.ts";
import { numberOf } from "../attribute-values.ts";
import type { UnitInferred } from "../vocabulary.ts";
import { endOfTurnDelay, isAgentTurn } from "./names.ts";
import type { Place } from "./places.ts";
import type { SpokenAudio } from "./spoken-audio.ts";

/** What an attribute states beside what the times of the spans show for the same. */
type Pair = { stated: number; shownMs: number };

/** Stated and shown times agree when they are this close: a unit mistaken for the other is a thousand times off. */
const FACTOR = 10;

/** By the majority; null when nothing agrees with either unit. */
export function unitShown(pairs: readonly Pair[]): UnitInferred["unit"] | null {
  const agree = (a: number, b: number) => a < b * FACTOR && b < a * FACTOR;
  let votes = 0;
  for (const { stated, shownMs } of pairs) {
    if (stated <= 0 || shownMs < 1) continue;
    if (agree(stated, shownMs)) votes++;
    else if (agree(stated * 1000, shownMs)) votes--;
  }
  return votes > 0 ? "milliseconds" : votes < 0 ? "seconds" : null;
}

/** The end-of-turn delay beside the time from the last speech to the end of the turn. */
export function delaysShown(nodes: readonly SpanNode[], placeOf: Map<SpanNode, Place>, audio: SpokenAudio): Pair[] {
  const lastSpeech = new Map<unknown, bigint>();
  for (const { turn, endNs } of audio.userSpeech) {
    const earlier = lastSpeech.get(turn);
    if (earlier === undefined || endNs > earlier) lastSpeech.set(turn, endNs);
  }
  return nodes.flatMap((node) => {
    const stated = node.span.name === "user_turn" ? numberOf(endOfTurnDelay(node.span)) : null;
    const spokenUntil = lastSpeech.get(placeOf.get(node)!.turn ?? node);
    if (stated === null || spokenUntil === undefined || node.span.endNs === null) return [];
    return { stated, shownMs: Number(node.span.endNs - spokenUntil) / 1e6 };
  });
}

/** The response latency beside the time from the user's last speech to the turn's first audio. */
export function latenciesShown(nodes: readonly SpanNode[], placeOf: Map<SpanNode, Place>, audio: SpokenAudio): Pair[] {
  const ends = audio.userSpeech.map(({ endNs }) => endNs).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const firstAudio = new Map<unknown, bigint>();
  for (const { turn, startNs } of audio.agentSpeech) {
    const earlier = firstAudio.get(turn);
    if (earlier === undefined || startNs < earlier) firstAudio.set(turn, startNs);
  }
  return nodes.flatMap((node) => {
    const stated = isAgentTurn(node.span) ? numberOf(node.span.attributes["lk.e2e_latency"]) : null;
    const heardAt = firstAudio.get(placeOf.get(node)!.turn ?? node);
    if (stated === null || heardAt === undefined) return [];
    const spokenUntil = ends[headCount(ends, (endNs) => endNs <= heardAt) - 1];
    return spokenUntil === undefined ? [] : { stated, shownMs: Number(heardAt - spokenUntil) / 1e6 };
  });
}
