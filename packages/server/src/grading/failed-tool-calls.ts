import { type Decision, failed, inconclusive, passed, type Proof } from "./decision.ts";
import { excerpt } from "./bounds.ts";
import { type Evidence, type EvidenceToolCall, readText } from "./evidence.ts";
import { claimsOf } from "./claims.ts";
import { hasAny, isEnglish, sentencesOf } from "./sentences.ts";

/** This many turns of the agent after a failed call count as about the failure. */
const TURNS_AFTER = 2;

const ADMITTING = [
  "sorry,apologize,apologies,apologise,unfortunately,afraid",
  "unable,not able,cant,cannot,couldnt,could not,can not,wasnt able,wont be able,not possible,not available,unavailable",
  "problem,trouble,issue,difficulty,difficulties,error,failed,went wrong,not working,not responding,didnt work,did not work,did not go through,didnt go through,is down,are down,timed out,not found,nothing found,no results",
  "try again,try once more,another way,later,colleague,someone from,connect you,transfer you,call you back",
].flatMap((line) => line.split(","));

/** Decides whether the agent handled a failed tool call: a later call succeeded, or the agent admitted the failure. */
export function handlingOf(toolCall: number, evidence: Evidence): Decision<"passed" | "failed" | "inconclusive"> {
  const call = evidence.toolCalls[toolCall]!;
  const name = call.name ?? "A tool";
  const again = evidence.toolCalls.findIndex(
    (other, index) => index > toolCall && other.name === call.name && other.outcome === "ok",
  );
  if (again >= 0)
    return passed(`${name} failed, and a later call of it succeeded.`, [{ toolCall }, { toolCall: again }]);

  const { turns, doubt } = turnsAfter(call, evidence);
  for (const { turn, text } of turns) {
    const admission = sentencesOf(text).find(({ words }) => hasAny(words, ADMITTING));
    if (admission)
      return passed(`${name} failed, and the agent said so.`, [{ toolCall }, quoted(turn, admission.text)]);
  }
  const proof: Proof = { toolCall };
  if (turns.length === 0)
    return doubt
      ? inconclusive(`${name} failed. ${doubt}`, [proof])
      : failed(`${name} failed, and the agent said nothing afterwards.`, [proof]);
  for (const { turn, text } of turns) {
    const claim = claimsOf(text)[0];
    if (claim) return failed(`${name} failed, and the agent claimed success.`, [proof, quoted(turn, claim.text)]);
  }
  const language = isEnglish(turns.map(({ text }) => text)) ? "" : " Only English is understood.";
  return inconclusive(`${name} failed, and the agent neither admitted it nor claimed success.${language}`, [proof]);
}

/** Returns the first decision that failed, or the first that is inconclusive; undefined when all passed. */
export const worstOf = <D extends Decision>(decisions: readonly D[]): D | undefined =>
  decisions.find(({ verdict }) => verdict === "failed") ?? decisions.find(({ verdict }) => verdict === "inconclusive");

const quoted = (turn: number, text: string): Proof => ({ turn, quote: excerpt(text) });

function turnsAfter(call: EvidenceToolCall, evidence: Evidence) {
  const later = evidence.turns
    .map((turn, index) => ({ turn, index }))
    .filter(({ turn, index }) => turn.speaker === "agent" && isAfter(call, index, turn.startMs))
    .slice(0, TURNS_AFTER);
  const turns = later.flatMap(({ turn, index }) => {
    const text = readText(turn);
    return text === null ? [] : [{ turn: index, text }];
  });
  const doubt = evidence.partial ?? (turns.length < later.length ? "The agent's next words are not known." : null);
  return { turns, doubt };
}

/** The turn that made the call counts too, because it continues after the call. */
const isAfter = (call: EvidenceToolCall, index: number, startMs: number) =>
  call.turn === null ? startMs >= call.startMs : index >= call.turn;
