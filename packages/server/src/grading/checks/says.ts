import { shown } from "../bounds.ts";
import { type Decision, failed, passed, type Proof } from "../decision.ts";
import { type Evidence, type EvidenceTurn, readText, saidMore } from "../evidence.ts";
import { search } from "../pattern/pattern.ts";
import { findWords, type Place, wordsOf } from "../words.ts";
import { ifAllKnown } from "./absent.ts";
import type { Check, Said } from "./check.ts";

type Spoken = EvidenceTurn & { place: number };

/** Behind so many turns that were too long for a pattern it is given up, which keeps a check within a second. */
const COSTLY_TURNS_MAX = 3;

export function says({ said, never, firstTurns }: Check & { form: "says" }, evidence: Evidence): Decision {
  const spoken = turnsOf(evidence, "agent").slice(0, firstTurns ?? Infinity);
  const { proof, doubt } = find(said, spoken);
  const where =
    firstTurns === null ? "" : ` within the agent's first ${firstTurns === 1 ? "turn" : `${firstTurns} turns`}`;
  if (proof !== undefined) {
    const reason = `The agent said it in turn ${proof.turn}.`;
    return never ? failed(reason, [proof]) : passed(reason, [proof]);
  }
  const reason = `The agent never said it${where}.`;
  const windowIsFull = firstTurns !== null && spoken.length === firstTurns;
  return ifAllKnown(never ? passed(reason) : failed(reason), doubt, windowIsFull ? null : evidence.partial);
}

/** What the caller said first is repeated only behind that. */
export function repeatsBack({ text }: Check & { form: "repeats_back" }, evidence: Evidence): Decision {
  const said: Said = { kind: "words", text };
  const given = find(said, turnsOf(evidence, "caller")).proof;
  const spoken = turnsOf(evidence, "agent").filter(({ place }) => given === undefined || place > given.turn);
  const { proof, doubt } = find(said, spoken);
  if (proof !== undefined) return passed(`The agent said it back in turn ${proof.turn}.`, [proof]);
  const reason = given ? `The caller said it in turn ${given.turn}, the agent not after.` : "The agent never said it.";
  return ifAllKnown(failed(reason, given ? [given] : []), doubt, evidence.partial);
}

export const turnsOf = ({ turns }: Evidence, speaker: EvidenceTurn["speaker"]): Spoken[] =>
  turns.map((turn, place) => ({ ...turn, place })).filter((turn) => turn.speaker === speaker);

type Found = { proof: Proof & { turn: number }; doubt?: undefined } | { proof?: undefined; doubt: string | null };

function find(said: Said, turns: readonly Spoken[]): Found {
  const locate = locator(said);
  let doubt: string | null = null;
  let costly = 0;
  for (const turn of turns) {
    if (saidMore(turn)) doubt ??= `Not all of turn ${turn.place} is known.`;
    const text = readText(turn);
    const place = text === null || costly >= COSTLY_TURNS_MAX ? undefined : locate(text);
    if (place === "too_costly") {
      costly++;
      doubt ??= `Turn ${turn.place} is too long for the pattern.`;
    } else if (place !== undefined) {
      return { proof: { turn: turn.place, quote: shown(text!.slice(place.start, place.end)) } };
    }
  }
  return { doubt };
}

function locator(said: Said): (text: string) => Place | "too_costly" | undefined {
  if (said.kind === "pattern") return (text) => search(said.pattern, text);
  const wanted = wordsOf(said.text);
  const signs = said.text.trim();
  return (text) => (wanted.length > 0 ? findWords(wanted, wordsOf(text)) : findSigns(signs, text));
}

/** Text without a word, like "?", as it stands. */
function findSigns(signs: string, text: string): Place | undefined {
  const start = text.indexOf(signs);
  return start < 0 ? undefined : { start, end: start + signs.length };
}
