import type { Evidence } from "../evidence.ts";
import { findJoined, wordsOf } from "../words.ts";
import { type LineSpeaker, quotable } from "./transcript.ts";

/** A quote as the judge gives it: the turn, its speaker and the words. */
type Quote = { turn: number; speaker: LineSpeaker; quote: string };

/** A quote after the look-up: the turn in which the speaker says it, or null and the fault. */
export type CheckedQuote = Quote & { foundIn: number | null; fault: string | null };

/** Almost any turn contains a shorter quote. */
const WORDS_MIN = 3;
const CHARACTERS_MIN = 8;

/** Judges often miscount turns by one. */
const NEARBY = [0, -1, 1];

/** The beginning of a line of the record, which judges copy with its words. */
const PREFIX = /^\s*(?:\[(\d+)\]\s*)?(agent|caller)\s*(?:\(interrupted\))?\s*:\s*/i;
const NUMBER = /^\s*\[(?:\d+|\?)\]\s*/;

/** Words that address a grader instead of the other party. They prove nothing, whoever says them. */
const TO_THE_JUDGE =
  /"?\b(?:status|verdict|grade|score)\b"?\s*(?::|=|is)\s*"?(?:pass|fail)|\b(?:answer|mark|grade|return|output|report|respond|reply|rate|score)\b[^.!?]{0,30}\b(?:with\s+)?(?:a\s+|as\s+)?"?pass(?:ed|es)?\b|\b(?:ignore|disregard|forget)\b[^.!?]{0,20}\b(?:rules|instructions|prompt)\b|\b(?:system message|language model|(?:the|dear|note to|attention) (?:grader|judge|evaluator))\b/i;

/** Looks a quote up by its words: the named speaker must say it in the named turn or in the turn beside it. */
export function checkQuote({ turn, speaker, quote }: Quote, evidence: Evidence): CheckedQuote {
  const checked = (foundIn: number | null, fault: string | null = null) => ({ turn, speaker, quote, foundIn, fault });
  const prefix = PREFIX.exec(quote)?.[2]?.toLowerCase();
  const isOwnLine = speaker !== "tool" && prefix === speaker;
  const words = isOwnLine ? quote.replace(PREFIX, "") : quote.replace(NUMBER, "");
  const near = NEARBY.map((by) => turn + by).filter((index) => index >= 0 && index < evidence.turns.length);
  if (speaker === "tool" && !near.includes(turn) && evidence.toolCalls.some((call) => call.turn === null))
    near.push(turn);
  let isTooShort = false;
  for (const index of near) {
    for (const text of quotable(evidence, index, speaker)) {
      if (!containsQuote(text, words)) continue;
      if (TO_THE_JUDGE.test(words)) return checked(null, "the words address a grader and prove nothing");
      if (provesSomething(text, words)) return checked(index);
      isTooShort = true;
    }
  }
  if (isTooShort)
    return checked(null, `the quote is too short, or leaves words out: quote at least ${WORDS_MIN} words in one piece`);
  const other = otherSpeaker(words, turn, speaker, evidence);
  if (other !== undefined) return checked(null, `the ${other} says this in turn ${turn}, not the ${speaker}`);
  return checked(null, `the ${speaker} does not say this in turn ${turn}`);
}

function otherSpeaker(words: string, turn: number, speaker: LineSpeaker, evidence: Evidence): LineSpeaker | undefined {
  const others = (["agent", "caller", "tool"] as const).filter((other) => other !== speaker);
  return others.find((other) => quotable(evidence, turn, other).some((text) => containsQuote(text, words)));
}

function containsQuote(text: string, quote: string): boolean {
  const parts = partsOf(quote);
  if (parts.join("") === "") return false;
  const said = wordsOf(text);
  let from = 0;
  return parts.every((part) => {
    const range = findJoined(part, said.slice(from));
    if (range === undefined) return false;
    from = said.findIndex(({ end }) => end >= range.end) + 1;
    return true;
  });
}

/** Returns whether a quote is long enough, or the whole text. */
function provesSomething(text: string, quote: string): boolean {
  const [parts, whole] = [partsOf(quote), joined(text)];
  // Words that an ellipsis leaves out may turn the meaning round.
  if (parts.length > 1) return false;
  const characters = parts.join("");
  return characters === whole || (wordsOf(quote).length >= WORDS_MIN && characters.length >= CHARACTERS_MIN);
}

/** Returns the parts between ellipses, without spaces and punctuation. */
const partsOf = (quote: string): string[] =>
  quote
    .split(/…|\.{3,}|\[\.\.\.\]/)
    .map(joined)
    .filter((part) => part !== "");

const joined = (text: string) =>
  wordsOf(text)
    .map((word) => word.text)
    .join("");
