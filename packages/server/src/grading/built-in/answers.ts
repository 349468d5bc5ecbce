import { type Decision, failed, inconclusive, notGraded, passed, type Proof } from "../decision.ts";
import { cutShort } from "../absence.ts";
import { excerpt } from "../bounds.ts";
import type { Evidence } from "../evidence.ts";
import { unansweredTurns as turnsWithoutAnswer } from "../response-times.ts";
import { hasAny, spaced } from "../words/sentences.ts";

export function unansweredTurns(evidence: Evidence): Decision {
  const { provenance, reason } = evidence.measures.unanswered_turns;
  if (provenance === "unavailable") return notGraded(reason ?? "The unanswered turns are not known.");
  const unanswered = turnsWithoutAnswer(evidence);
  const before = evidence.turns.at(-1)?.speaker === "caller" ? " before the last" : "";
  if (unanswered.length === 0) return passed(`The agent answered every turn of the caller${before}.`);
  return failed(
    `The agent did not answer ${unanswered.length} of the caller's turns.`,
    unanswered.map((turn) => wholeTurn(evidence, turn)),
  );
}

export function missedFinalTurn(evidence: Evidence): Decision {
  const { turns, ending } = evidence;
  const doubt = cutShort(evidence);
  const last = turns.length - 1;
  const { speaker } = turns[last]!;
  if (speaker !== "caller") return passed(`The ${speaker} spoke last.`);
  if (doubt !== null) return inconclusive(`The caller spoke last. ${doubt}`);
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
