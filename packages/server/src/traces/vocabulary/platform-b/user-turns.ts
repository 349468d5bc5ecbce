import { byStart, type SpanNode } from "../../conversation/span-tree.ts";
import type { StoredSpan } from "../../stored-span.ts";
import { numberOf, textOf } from "../attribute-values.ts";
import { EMPTY_TURN } from "../empty-turn.ts";
import type { TurnDraft } from "../vocabulary.ts";
import { contentAttribute } from "./names.ts";
import type { NodesByName } from "./nodes-by-name.ts";
import { transcriptTurns } from "./session-events.ts";
import type { Speech } from "./speeches.ts";

const SECOND_NS = 1_000_000_000n;

/** A speech that starts within this time after a user turn answers that turn, even when the speech repeats another input. */
const ANSWER_WITHIN_NS = SECOND_NS;

/** A speech that repeats the words of a user turn answers the turn when it starts within this time. */
const SAME_WORDS_WITHIN_NS = 60n * SECOND_NS;
const TURNS_LOOKED_BACK = 5;

export function userTurns(named: NodesByName, speeches: readonly Speech[]): TurnDraft[] {
  const ownTurns = named("user_turn")
    .filter(wasHeard)
    .map(({ span }) => userTurn(span, transcriptOf(span), span.endNs));
  const spokenTurns = [...ownTurns, ...transcriptTurns(named, ownTurns)].sort((a, b) =>
    a.startNs < b.startNs ? -1 : a.startNs > b.startNs ? 1 : 0,
  );
  const hasUserAudio = named("user_speaking").length > 0;
  return [...spokenTurns, ...typedTurns(speeches, spokenTurns, hasUserAudio)];
}

/**
 * Returns the turns that the user typed. Each speech of the agent repeats its input, which was typed unless the speech answers a spoken
 * turn. A speech without a turn counts only in a conversation without user audio, because partial recognitions also start such speeches.
 */
function typedTurns(
  speeches: readonly Speech[],
  spokenTurns: readonly TurnDraft[],
  hasUserAudio: boolean,
): TurnDraft[] {
  const inputs = speeches
    .filter((speech) => speech.turn !== null || !hasUserAudio)
    .flatMap((speech) => speech.steps.find((step) => inputOf(step) !== null) ?? [])
    .sort(byStart);
  let started = 0;
  return inputs.flatMap((step) => {
    while (started < spokenTurns.length && spokenTurns[started]!.startNs <= step.startNs) started++;
    const before = spokenTurns.slice(Math.max(0, started - TURNS_LOOKED_BACK), started);
    return before.some((turn) => isAnsweredBy(turn, step)) ? [] : userTurn(step, inputOf(step), null);
  });
}

function isAnsweredBy(turn: TurnDraft, step: StoredSpan): boolean {
  const afterNs = step.startNs - (turn.endNs ?? turn.startNs);
  return afterNs <= ANSWER_WITHIN_NS || (afterNs <= SAME_WORDS_WITHIN_NS && turn.text === inputOf(step));
}

/**
 * Returns true for a turn with a transcript, and for a turn whose transcript is withheld. Returns false for the turn with an empty
 * transcript that the framework adds at the end of a call.
 */
function wasHeard({ span, children }: SpanNode): boolean {
  if (transcriptOf(span) !== null) return true;
  const committed = "lk.transcript_confidence" in span.attributes;
  const withheld = typeof contentAttribute(span, "user_transcript") !== "string";
  return (
    committed &&
    withheld &&
    (confidenceOf(span) !== null || children.some((child) => child.span.name === "user_speaking"))
  );
}

const transcriptOf = (span: StoredSpan) => textOf(contentAttribute(span, "user_transcript"));

const inputOf = (step: StoredSpan) => textOf(contentAttribute(step, "user_input"));

/** Returns null for 0, which the framework writes when the recogniser reports no confidence. */
function confidenceOf(span: StoredSpan): number | null {
  const confidence = numberOf(span.attributes["lk.transcript_confidence"]);
  return confidence !== null && confidence > 0 && confidence <= 1 ? confidence : null;
}

function userTurn(span: StoredSpan, text: string | null, endNs: bigint | null): TurnDraft {
  return {
    role: "user",
    text,
    startNs: span.startNs,
    endNs,
    ...EMPTY_TURN,
    confidence: confidenceOf(span),
    spanIds: [span.spanId],
  };
}
