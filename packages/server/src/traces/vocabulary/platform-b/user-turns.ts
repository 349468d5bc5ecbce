import { byStart, type SpanNode } from "../../span-tree.ts";
import type { StoredSpan } from "../../stored-span.ts";
import { numberOf, textOf } from "../attribute-values.ts";
import type { TurnDraft } from "../vocabulary.ts";
import { said } from "./names.ts";
import type { Speech } from "./speeches.ts";

const SECOND_NS = 1_000_000_000n;

/** A speech that starts this soon after the user's turn answers it, whatever words it repeats. */
const ANSWER_WITHIN_NS = SECOND_NS;

/** One that repeats the user's words answers them, even after slow work between the two. */
const SAME_WORDS_WITHIN_NS = 60n * SECOND_NS;

const TURNS_LOOKED_BACK = 5;

/** Every user turn, `nodes` in any order. */
export function userTurns(nodes: readonly SpanNode[], speeches: readonly Speech[]): TurnDraft[] {
  const heard = nodes
    .filter((node) => node.span.name === "user_turn" && wasHeard(node))
    .map(({ span }) => userTurn(span, transcriptOf(span), span.endNs))
    .sort((a, b) => (a.startNs < b.startNs ? -1 : a.startNs > b.startNs ? 1 : 0));
  const listening = nodes.some((node) => node.span.name === "user_speaking");
  return [...heard, ...typedTurns(speeches, heard, listening)];
}

/**
 * What was typed: a speech repeats its input, which is a turn of its own unless it was heard. An input without an answer
 * counts only where nothing is heard at all: half-heard words start speeches too, which are thrown away.
 */
function typedTurns(speeches: readonly Speech[], heard: readonly TurnDraft[], listening: boolean): TurnDraft[] {
  const inputs = speeches
    .filter((speech) => speech.turn !== null || !listening)
    .flatMap((speech) => speech.steps.find((step) => inputOf(step) !== null) ?? [])
    .sort(byStart);
  let begun = 0;
  return inputs.flatMap((step) => {
    while (begun < heard.length && heard[begun]!.startNs <= step.startNs) begun++;
    const before = heard.slice(Math.max(0, begun - TURNS_LOOKED_BACK), begun);
    return before.some((turn) => isAnsweredBy(turn, step)) ? [] : userTurn(step, inputOf(step), null);
  });
}

function isAnsweredBy(turn: TurnDraft, step: StoredSpan): boolean {
  const afterNs = step.startNs - (turn.endNs ?? turn.startNs);
  return afterNs <= ANSWER_WITHIN_NS || (afterNs <= SAME_WORDS_WITHIN_NS && turn.text === inputOf(step));
}

/** With a transcript; or with speech whose transcript is withheld. At the end of a call comes one with an empty transcript. */
function wasHeard({ span, children }: SpanNode): boolean {
  if (transcriptOf(span) !== null) return true;
  const committed = "lk.transcript_confidence" in span.attributes;
  const withheld = typeof said(span, "user_transcript") !== "string";
  return (
    committed &&
    withheld &&
    (confidenceOf(span) !== null || children.some((child) => child.span.name === "user_speaking"))
  );
}

const transcriptOf = (span: StoredSpan) => textOf(said(span, "user_transcript"));

const inputOf = (step: StoredSpan) => textOf(said(step, "user_input"));

/** A recogniser that gives no confidence is recorded as 0. */
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
    interrupted: null,
    speechId: null,
    confidence: confidenceOf(span),
    spanIds: [span.spanId],
  };
}
