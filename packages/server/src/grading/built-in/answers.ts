import { type Decision, failed, inconclusive, notGraded, passed, type Proof } from "../decision.ts";
import { excerpt } from "../bounds.ts";
import type { Evidence } from "../evidence.ts";
import { hasAny, spaced } from "../sentences.ts";

/** With a shorter pause, two turns of the caller are one that speech recognition split. */
const SAME_SPEECH_MS = 1_500;

export function unansweredTurns(evidence: Evidence): Decision {
  const { turns, measures, modality } = evidence;
  const { provenance, samples, reason } = measures.unanswered_turns;
  if (provenance === "unavailable") return notGraded(reason ?? "The unanswered turns are not known.");
  const unanswered = samples.flatMap(({ value, turn }) => {
    const next = turn === null ? undefined : turns[turn + 1];
    if (value === 0 || turn === null || next === undefined) return [];
    const pauseMs = next.startMs - (turns[turn]!.endMs ?? turns[turn]!.startMs);
    return modality !== "text" && next.speaker === "caller" && pauseMs < SAME_SPEECH_MS ? [] : [turn];
  });
  if (unanswered.length === 0) return passed("The agent answered every turn of the caller.");
  return failed(
    `The agent did not answer ${unanswered.length} of the caller's turns.`,
    unanswered.map((turn) => wholeTurn(evidence, turn)),
  );
}

export function missedFinalTurn(evidence: Evidence): Decision {
  const { turns, ending, partial } = evidence;
  const last = turns.length - 1;
  if (turns[last]!.speaker === "agent") return passed("The agent spoke last.");
  if (partial !== null) return inconclusive(`The caller spoke last. ${partial}`);
  const proof = wholeTurn(evidence, last);
  if (ending?.by === "caller") return passed("The caller spoke last and ended the call.", [proof]);
  if (ending === null && isFarewell(turns[last]!.text))
    return passed("The caller said goodbye and spoke last.", [proof]);
  if (ending === null) return inconclusive("The caller spoke last, and it is not known who ended the call.", [proof]);
  return failed(`The agent did not answer the caller's last turn (${ending.reason}).`, [proof]);
}

const isFarewell = (text: string | null) =>
  text !== null &&
  hasAny(spaced(text), ["bye", "goodbye", "bye bye", "good night", "have a good day", "have a nice day"]);

const wholeTurn = ({ turns }: Evidence, turn: number): Proof => {
  const { text } = turns[turn]!;
  return { turn, quote: text === null ? null : excerpt(text) };
};
