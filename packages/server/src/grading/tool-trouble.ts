import { type Decision, failed, inconclusive, passed, type Proof } from "./decision.ts";
import { shown } from "./bounds.ts";
import { type Evidence, type EvidenceToolCall, readText } from "./evidence.ts";
import { claimsOf } from "./claims.ts";
import { hasAny, isEnglish, sentencesOf } from "./sentences.ts";

/** What the agent says in this many of its turns after a failure is about it. */
const TURNS_AFTER = 2;

const OWNS_UP = [
  "sorry,apologize,apologies,apologise,unfortunately,afraid",
  "unable,not able,cant,cannot,couldnt,could not,can not,wasnt able,wont be able,not possible,not available,unavailable",
  "problem,trouble,issue,difficulty,difficulties,error,failed,went wrong,not working,not responding,didnt work,did not work,did not go through,didnt go through,is down,are down,timed out,not found,nothing found,no results",
  "try again,try once more,another way,later,colleague,someone from,connect you,transfer you,call you back",
].flatMap((line) => line.split(","));

/** Whether the agent dealt with a tool call that failed: it called again and that worked, or it owned up. */
export function dealtWith(toolCall: number, evidence: Evidence): Decision<"passed" | "failed" | "inconclusive"> {
  const call = evidence.toolCalls[toolCall]!;
  const name = call.name ?? "A tool";
  const again = evidence.toolCalls.findIndex(
    (other, place) => place > toolCall && other.name === call.name && other.outcome === "ok",
  );
  if (again >= 0)
    return passed(`${name} failed, and a later call of it succeeded.`, [{ toolCall }, { toolCall: again }]);

  const { turns, open } = turnsAfter(call, evidence);
  for (const { turn, text } of turns) {
    const owning = sentencesOf(text).find(({ words }) => hasAny(words, OWNS_UP));
    if (owning) return passed(`${name} failed, and the agent said so.`, [{ toolCall }, quoted(turn, owning.text)]);
  }
  const proof: Proof = { toolCall };
  if (turns.length === 0)
    return open
      ? inconclusive(`${name} failed. ${open}`, [proof])
      : failed(`${name} failed, and the agent said nothing after.`, [proof]);
  for (const { turn, text } of turns) {
    const claim = claimsOf(text)[0];
    if (claim)
      return failed(`${name} failed, and the agent claimed that it was done.`, [proof, quoted(turn, claim.text)]);
  }
  const language = isEnglish(turns.map(({ text }) => text)) ? "" : " Its words are read in English only.";
  return inconclusive(`${name} failed, and the agent neither owned up to it nor claimed that it was done.${language}`, [
    proof,
  ]);
}

/** Of several decisions the first that failed, else the first that is open; undefined when all passed. */
export const worstOf = <D extends Decision>(decisions: readonly D[]): D | undefined =>
  decisions.find(({ verdict }) => verdict === "failed") ?? decisions.find(({ verdict }) => verdict === "inconclusive");

const quoted = (turn: number, text: string): Proof => ({ turn, quote: shown(text) });

function turnsAfter(call: EvidenceToolCall, evidence: Evidence) {
  const behind = evidence.turns
    .map((turn, place) => ({ turn, place }))
    .filter(({ turn, place }) => turn.speaker === "agent" && isAfter(call, place, turn.startMs))
    .slice(0, TURNS_AFTER);
  const turns = behind.flatMap(({ turn, place }) => {
    const text = readText(turn);
    return text === null ? [] : [{ turn: place, text }];
  });
  const open = evidence.partial ?? (turns.length < behind.length ? "What the agent said after is not known." : null);
  return { turns, open };
}

/** The turn that made the call goes on after it. */
const isAfter = (call: EvidenceToolCall, place: number, startMs: number) =>
  call.turn === null ? startMs >= call.startMs : place >= call.turn;
