import { type Decision, failed, inconclusive, passed, type Proof } from "./decision.ts";
import { cutShort } from "./absence.ts";
import { excerpt, jsonOf } from "./bounds.ts";
import { succeeded } from "./checks/call-outcome.ts";
import { type Evidence, type EvidenceToolCall, type EvidenceTurn, readText } from "./evidence.ts";
import { claimsOf } from "./claims.ts";
import { hasAny, isEnglish, sentencesOf } from "./words/sentences.ts";

/** Number of the agent's turns after a failed call that are searched for words about the failure. */
const TURNS_AFTER = 2;

/** Words with which an agent reports a failure. A polite "sorry" or "no problem" is not among them. */
const ADMITTING = [
  "unfortunately,unable to,not able to,wasnt able,wont be able",
  "cant,cannot,couldnt,could not,can not,didnt work,did not work,doesnt work,isnt working,is not working,not responding,not answering,isnt answering",
  "went wrong,an error,the error,failed,didnt go through,did not go through,hasnt gone through,timed out,is down,are down",
  "having trouble,had trouble,having a problem,had a problem,having an issue,having issues,having difficulties,a technical problem,a technical issue",
  "try again,try once more,was declined,been declined,is unavailable,was rejected",
].flatMap((line) => line.split(","));
/** Phrases that look like a report of a failure. */
const NOT_FAILED = [
  "no problem",
  "no error",
  "without a problem",
  "without an error",
  "without any",
  "cant wait",
  "couldnt be",
  "could not be",
  "cant hear,cannot hear,couldnt hear,could not hear",
].flatMap((line) => line.split(","));
/** Short claims of success that do not name the action. */
const SUCCESS =
  "all set,all done,its done,it is done,is booked,is confirmed,are confirmed,is reserved,is scheduled,is paid,all paid,went through,good to go,taken care of,has been,have been,is complete,is completed,are complete,is done,is ready,is active,is in place,is on its way,was successful,is successful,all sorted,thanks for the payment,thank you for your payment,thanks for paying".split(
    ",",
  );

/** Decides whether the agent handled a failed tool call: a later call succeeded, or the agent admitted the failure. */
export function handlingOf(toolCall: number, evidence: Evidence): Decision<"passed" | "failed" | "inconclusive"> {
  const call = evidence.toolCalls[toolCall]!;
  const name = call.name ?? "A tool";
  const again = evidence.toolCalls.findIndex(
    (other, index) =>
      index > toolCall &&
      other.name === call.name &&
      succeeded(other, evidence) === true &&
      hasSameArguments(other, call),
  );
  if (again >= 0)
    return passed(`${name} failed, and a later call of it succeeded.`, [{ toolCall }, { toolCall: again }]);

  const { turns, doubt } = turnsAfter(call, evidence);
  const sentences = turns.flatMap(({ turn, text }) => sentencesOf(text).map((sentence) => ({ turn, ...sentence })));
  const admission = sentences.find(({ words }) => hasAny(words, ADMITTING) && !hasAny(words, NOT_FAILED));
  const claim = turns.flatMap(({ turn, text }) => claimsOf(text).map((sentence) => ({ turn, ...sentence })))[0];
  const success = claim ?? sentences.find(({ words, text }) => hasAny(words, SUCCESS) && !text.endsWith("?"));
  const proof: Proof = { toolCall };
  if (turns.length === 0)
    return doubt
      ? inconclusive(`${name} failed. ${doubt}`, [proof])
      : failed(`${name} failed, and the agent said nothing afterwards.`, [proof]);
  if (admission && success === undefined)
    return passed(`${name} failed, and the agent said so.`, [proof, quoted(admission.turn, admission.text)]);
  if (claim && admission === undefined)
    return failed(`${name} failed, and the agent claimed success.`, [proof, quoted(claim.turn, claim.text)]);
  if (admission)
    return inconclusive(`${name} failed, and the agent spoke of a failure and of success.`, [
      proof,
      quoted(admission.turn, admission.text),
    ]);
  const language = isEnglish(turns.map(({ text }) => text)) ? "" : " Only English is understood.";
  return inconclusive(`${name} failed, and the agent neither admitted it nor claimed success.${language}`, [proof]);
}

export const worstOf = <D extends Decision>(decisions: readonly D[]): D | undefined =>
  decisions.find(({ verdict }) => verdict === "failed") ?? decisions.find(({ verdict }) => verdict === "inconclusive");

/** Returns whether two calls have the same arguments. A later success with other arguments may be about another matter. */
const hasSameArguments = (a: EvidenceToolCall, b: EvidenceToolCall) => jsonOf(a.arguments) === jsonOf(b.arguments);

const quoted = (turn: number, text: string): Proof => ({ turn, quote: excerpt(text) });

function turnsAfter(call: EvidenceToolCall, evidence: Evidence) {
  const later = evidence.turns
    .map((turn, index) => ({ turn, index }))
    .filter(({ turn, index }) => turn.speaker === "agent" && isAfter(call, index, turn))
    .slice(0, TURNS_AFTER);
  const turns = later.flatMap(({ turn, index }) => {
    const text = readText(turn);
    return text === null ? [] : [{ turn: index, text }];
  });
  const doubt = cutShort(evidence) ?? (turns.length < later.length ? "The agent's next words are not known." : null);
  return { turns, doubt };
}

/**
 * Returns whether a turn is after a tool call. The turn that made the call counts as after it if the turn continues after the call's start.
 */
const isAfter = (call: EvidenceToolCall, index: number, { startMs, endMs }: EvidenceTurn) =>
  call.turn === null
    ? startMs >= call.startMs
    : index > call.turn || (index === call.turn && (endMs ?? Infinity) > call.startMs);
