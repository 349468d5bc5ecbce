import type { Evidence } from "../evidence.ts";
import { findJoined, type TextRange, wordsOf } from "../words/words.ts";
import { negates } from "./negations.ts";
import { type LineSpeaker, quotable } from "./transcript.ts";

type Quote = { turn: number; speaker: LineSpeaker; quote: string };

/**
 * A quote of the judge after its check. `foundIn` is the turn in which the speaker says the quoted words; null if the quote has a fault.
 */
export type CheckedQuote = Quote & { foundIn: number | null; fault: string | null };

/** Smallest number of words of a quote. Shorter quotes occur in almost any turn. */
const WORDS_MIN = 3;
const CHARACTERS_MIN = 8;

const PLACES_MAX = 20;

/** Offsets of the turns that are searched, because judges often miscount turns by one. */
const NEARBY = [0, -1, 1];

/** Matches the beginning of a line of the record, such as "[3] agent:". Judges often copy it together with the words. */
const PREFIX = /^\s*(?:\[(\d+)\]\s*)?(agent|caller)\s*(?:\(interrupted\))?\s*:\s*/i;
const NUMBER = /^\s*\[(?:\d+|\?)\]\s*/;

/** Matches an answer at the beginning of a clause, such as "no,". It negates the question before it, and not the clause. */
const INTERJECTION = /^\s*(?:no|nope|no problem|no worries|not at all|never mind|nein|kein problem|non)\s*,/i;

/** Checks that the named speaker says the quoted words in the named turn, or in a turn next to it. */
export function checkQuote({ turn, speaker, quote }: Quote, evidence: Evidence): CheckedQuote {
  const checked = (foundIn: number | null, fault: string | null = null) => ({ turn, speaker, quote, foundIn, fault });
  const prefix = PREFIX.exec(quote)?.[2]?.toLowerCase();
  const isOwnLine = speaker !== "tool" && prefix === speaker;
  const words = isOwnLine ? quote.replace(PREFIX, "") : quote.replace(NUMBER, "");
  const near = NEARBY.map((by) => turn + by).filter((index) => index >= 0 && index < evidence.turns.length);
  if (speaker === "tool" && !near.includes(turn) && evidence.toolCalls.some((call) => call.turn === null))
    near.push(turn);
  let problem: string | null = null;
  for (const index of near) {
    for (const text of quotable(evidence, index, speaker)) {
      if (!containsQuote(text, words)) continue;
      problem = problemOf(text, words, speaker);
      if (problem === null) return checked(index);
    }
  }
  if (problem !== null) return checked(null, problem);
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

/** Returns why a quote proves nothing although the text contains it; null if it is a proof. */
function problemOf(text: string, quote: string, speaker: LineSpeaker): string | null {
  const [parts, whole] = [partsOf(quote), joined(text)];
  const characters = parts.join("");
  const isLong = characters === whole || (wordsOf(quote).length >= WORDS_MIN && characters.length >= CHARACTERS_MIN);
  // Words that an ellipsis leaves out may reverse the meaning.
  if (parts.length > 1 || !isLong)
    return `the quote is too short, or leaves words out: quote at least ${WORDS_MIN} words in one piece`;
  const places = placesOf(text, characters).filter((place) => !isToTheJudge(text, place, speaker));
  if (places.length === 0) return "the words address a grader and prove nothing";
  if (places.every((place) => isNegated(text, place, speaker)))
    return "the quote leaves out a negation of its clause: quote the whole sentence";
  return null;
}

/** Finds the places of a quote in a text. `wanted` contains the words without spaces. */
function placesOf(text: string, wanted: string): TextRange[] {
  const places: TextRange[] = [];
  let said = wordsOf(text);
  while (places.length < PLACES_MAX) {
    const place = findJoined(wanted, said);
    if (place === undefined) break;
    places.push(place);
    said = said.filter(({ start }) => start > place.start);
  }
  return places;
}

/** Returns whether the quote addresses the judge. In speech, the whole sentence around the quote counts. */
function isToTheJudge(text: string, place: TextRange, speaker: LineSpeaker): boolean {
  const { start, end } = speaker === "tool" ? place : sentenceAround(text, place);
  return addressesJudge(text.slice(start, end));
}

/** Returns whether the clause contains a negation that the quote leaves out, such as "we don't | give refunds". */
function isNegated(text: string, place: TextRange, speaker: LineSpeaker): boolean {
  const clause = speaker === "tool" ? valueAround(text, place) : clauseAround(text, place);
  const before = text.slice(clause.start, place.start).replace(INTERJECTION, "");
  return negates(before) || negates(text.slice(place.end, clause.end));
}

const partsOf = (quote: string): string[] =>
  quote
    .split(/…|\.{3,}|\[\.\.\.\]/)
    .map(joined)
    .filter((part) => part !== "");

const joined = (text: string) =>
  wordsOf(text)
    .map((word) => word.text)
    .join("");

const SENTENCE_SIGN = /[.?!](?=\s|$)/g;
/**
 * Matches the beginning of a clause. A comma does not begin one: a negation before the comma may apply, as in "I cannot, as I said, give
 * refunds".
 */
const CLAUSE_BEGINS =
  /[.?!](?=\s|$)|[;:]|\b(?:but|however|aber|sondern|pero|sino|mais|mas)\b|\b(?:and|so) (?=(?:i|we|he|she|they|there)\b)/gi;
const CLAUSE_ENDS =
  /[,.;:?!–—]|\b(?:but|and|or|so|because|that|which|who|if|while|although|aber|und|oder|pero|mais)\b/gi;
const TOOL_SIGN = /[",:{}()[\]→.;?!]/g;

const sentenceAround = (text: string, place: TextRange) => around(text, place, SENTENCE_SIGN, SENTENCE_SIGN);

const clauseAround = (text: string, place: TextRange) => around(text, place, CLAUSE_BEGINS, CLAUSE_ENDS);

const valueAround = (line: string, place: TextRange) => around(line, place, TOOL_SIGN, TOOL_SIGN);

function around(text: string, { start, end }: TextRange, begins: RegExp, ends: RegExp): TextRange {
  const before = [...text.matchAll(begins)].findLast((match) => match.index + match[0].length <= start);
  const after = [...text.matchAll(ends)].find(({ index }) => index >= end);
  return { start: before ? before.index + before[0].length : 0, end: after?.index ?? text.length };
}

const REQUIREMENT = "(?:requirements?|criteri(?:a|on)|behaviou?rs?|expectations?)";
const MET = "(?:satisfied|met|fulfilled|passed|complied with|shown|done)";

/** Match words that address a grader instead of the other party. */
const PATTERNS = [
  /"?\b(?:status|verdict|grade|score)\b"?\s*(?::|=|is)\s*"?(?:pass|fail)/,
  /\b(?:answer|mark|grade|return|output|report|respond|reply|rate|score)\b[^.!?]{0,30}\b(?:with\s+)?(?:a\s+|as\s+)?"?pass(?:ed|es)?\b(?! (?:it|you|this|that|them|him|her|me|your|the|on|along)\b)/,
  /\b(?:ignore|disregard|forget)\b[^.!?]{0,20}\b(?:rules|instructions|prompt)\b/,
  /\b(?:system message|language model|(?:the|dear|note to|attention) (?:grader|judge|evaluator))\b/,
  `\\b(?:all|every|each)\\b[^.!?]{0,20}\\b${REQUIREMENT}(?: of (?:this|the) \\w+)? (?:(?:is|are|was|were|has been|have been) )?(?:all |now |fully )?${MET}\\b`,
  `\\b(?:i|it|the agent|the assistant) (?:have |has |had )?${MET}\\b[^.!?]{0,20}\\b(?:${REQUIREMENT}|evaluation)\\b`,
].map((pattern) => new RegExp(pattern, "i"));

/** Returns whether a text addresses a grader. Such words prove nothing, whoever says them. */
const addressesJudge = (text: string): boolean => PATTERNS.some((pattern) => pattern.test(text));
