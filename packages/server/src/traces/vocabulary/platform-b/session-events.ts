import { prefixLength } from "../../prefix-length.ts";
import { byStart } from "../../conversation/span-tree.ts";
import type { StoredSpan } from "../../stored-span.ts";
import { numberOf, textOf } from "../attribute-values.ts";
import { EMPTY_TURN } from "../empty-turn.ts";
import type { TurnDraft } from "../vocabulary.ts";
import type { NodesByName } from "./nodes-by-name.ts";
import { areUserTimesKnown } from "./user-times.ts";

// Reads the spans that this project's helper libraries for agents add. They contain events of speech-to-speech sessions that LiveKit Agents
// does not record.

/**
 * Two turns are the same when their times differ by less than `SAME_TURN_NS`, or when they have the same words within
 * `SAME_WORDS_WITHIN_NS`.
 */
const SAME_TURN_NS = 500_000_000n;
const SAME_WORDS_WITHIN_NS = 60_000_000_000n;
const TURNS_COMPARED = 5;

/** Returns the user turns that the framework's own turns lack. When one turn has several transcripts, the last transcript counts. */
export function transcriptTurns(named: NodesByName, ownTurns: readonly TurnDraft[]): TurnDraft[] {
  const items = new Map<string, StoredSpan>();
  const transcripts = named("svc.user_transcript").map(({ span }) => span);
  if (transcripts.length === 0) return [];
  for (const span of transcripts.sort(byArrival)) {
    items.set(textOf(span.attributes["svc.item_id"]) ?? span.spanId, span);
  }
  const own = ownTurns.toSorted((a, b) => (a.startNs < b.startNs ? -1 : a.startNs > b.startNs ? 1 : 0));
  const isEndKnown = areUserTimesKnown(named);
  const turns = [...items.values()].map((span) => turnOf(span, isEndKnown));
  return turns.filter((turn) => {
    const before = prefixLength(own, ({ startNs }) => startNs <= turn.startNs);
    const near = own.slice(Math.max(0, before - TURNS_COMPARED), before + TURNS_COMPARED);
    return !near.some((other) => isSameTurn(other, turn));
  });
}

export const interruptedSpeeches = (named: NodesByName): Set<string> =>
  new Set(named("svc.speech_interrupted").flatMap(({ span }) => textOf(span.attributes["svc.speech_id"]) ?? []));

function turnOf(span: StoredSpan, isEndKnown: boolean): TurnDraft {
  const confidence = numberOf(span.attributes["svc.transcript_confidence"]);
  return {
    role: "user",
    text: textOf(span.attributes["svc.pii.user_transcript"]),
    startNs: span.startNs,
    endNs: isEndKnown && span.endNs !== null && span.endNs > span.startNs ? span.endNs : null,
    ...EMPTY_TURN,
    confidence: confidence !== null && confidence > 0 && confidence <= 1 ? confidence : null,
    spanIds: [span.spanId],
  };
}

function isSameTurn(own: TurnDraft, turn: TurnDraft): boolean {
  const [ownEnd, end] = [own.endNs ?? own.startNs, turn.endNs ?? turn.startNs];
  if (own.startNs < end + SAME_TURN_NS && turn.startNs < ownEnd + SAME_TURN_NS) return true;
  const apartNs = own.startNs - turn.startNs;
  return (
    own.text !== null && own.text === turn.text && apartNs < SAME_WORDS_WITHIN_NS && -apartNs < SAME_WORDS_WITHIN_NS
  );
}

function byArrival(a: StoredSpan, b: StoredSpan): number {
  const [first, second] = [a, b].map(({ attributes }) => numberOf(attributes["svc.transcribed_at"]) ?? 0);
  return first! - second! || byStart(a, b);
}
