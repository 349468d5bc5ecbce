import { excerpt } from "../bounds.ts";
import type { Proof } from "../decision.ts";
import { type Evidence, type EvidenceTurn, mayContainMore, readText } from "../evidence.ts";
import { allWords, findNearly, findWords } from "../words/find-words.ts";
import { type Pattern, search } from "../pattern/pattern.ts";
import { isEnglish } from "../words/sentences.ts";
import { type TextRange, wordsOf } from "../words/words.ts";
import type { WantedSpeech } from "./check.ts";

export type IndexedTurn = EvidenceTurn & { index: number };

/** Turns in which the speaker said the wanted words. `doubt` is a reason why the speaker may have said them elsewhere too. */
export type Mentions = {
  sure: (Proof & { turn: number })[];
  possible: { proof: Proof & { turn: number }; why: string }[];
  doubt: string | null;
};

/** After this number of passages whose search exceeds its step limit, the check stops searching, so that it takes less than a second. */
const COSTLY_TURNS_MAX = 3;

export const turnsOf = ({ turns }: Evidence, speaker: EvidenceTurn["speaker"]): IndexedTurn[] =>
  turns.map((turn, index) => ({ ...turn, index })).filter((turn) => turn.speaker === speaker);

/**
 * Finds the turns in which the speaker said something. Reads consecutive turns as one text. `all` are all turns of the speaker; they
 * determine the language.
 */
export function mentionsOf(said: WantedSpeech, turns: readonly IndexedTurn[], all = turns): Mentions {
  const locate = locator(said);
  const mentions: Mentions = { sure: [], possible: [], doubt: null };
  let costly = 0;
  for (const passage of passagesOf(turns)) {
    const { unknown } = passage;
    if (unknown !== null) mentions.doubt ??= `Some words of turn ${unknown} are not known.`;
    if (costly >= COSTLY_TURNS_MAX) continue;
    const places = locate(passage.text);
    if (places === "too_costly") {
      costly++;
      mentions.doubt ??= `Turn ${passage.parts[0]!.turn.index} is too long for the pattern.`;
      continue;
    }
    for (const { range, why } of places) {
      const { turn, proof } = proofOf(range, passage);
      const unheard = turn.unheard
        ? `Turn ${turn.index} was interrupted, and it is not known which words were heard.`
        : null;
      if (unheard === null && why === null) mentions.sure.push(proof);
      else mentions.possible.push({ proof, why: (unheard ?? why)! });
    }
  }
  if (said.kind === "words" && mentions.sure.length + mentions.possible.length === 0)
    mentions.possible.push(...splitMentions(said.text, turns));
  const texts = all.map((turn) => readText(turn) ?? "");
  if (needsEnglish(said) && /\p{L}/u.test(texts.join("")) && !isEnglish(texts))
    mentions.doubt ??= "Numbers in words are understood in English alone.";
  return mentions;
}

/** Finds words that begin in one turn and end in a later one, although another speaker spoke in between. */
function splitMentions(wanted: string, turns: readonly IndexedTurn[]): Mentions["possible"] {
  const whole = joined(turns);
  return wordLocator(wanted)(whole.text).map(({ range }) => {
    const { turn, proof } = proofOf(range, whole);
    return { proof, why: `The words begin in turn ${turn.index} and end in a later one.` };
  });
}

/**
 * Consecutive turns of a speaker as one text. `unknown` is the index of a turn whose words are not all known; null if all words are known.
 */
type Passage = { text: string; parts: { turn: IndexedTurn; start: number }[]; unknown: number | null };

function passagesOf(turns: readonly IndexedTurn[]): Passage[] {
  const groups: IndexedTurn[][] = [];
  for (const turn of turns) {
    const group = groups.at(-1);
    if (group?.at(-1)!.index === turn.index - 1) group.push(turn);
    else groups.push([turn]);
  }
  return groups.map(joined);
}

function joined(turns: readonly IndexedTurn[]): Passage {
  const passage: Passage = { text: "", parts: [], unknown: null };
  for (const turn of turns) {
    if (passage.parts.length > 0) passage.text += " ";
    passage.parts.push({ turn, start: passage.text.length });
    passage.text += readText(turn) ?? "";
    if (mayContainMore(turn)) passage.unknown ??= turn.index;
  }
  return passage;
}

function proofOf({ start, end }: TextRange, { text, parts }: Passage) {
  const at = parts.findLastIndex((part) => part.start <= start);
  const { turn, start: from } = parts[at]!;
  const until = Math.min(end, from + (readText(turn) ?? "").length);
  const isUnheard = parts.find((part) => part.turn.unheard && part.start < end && part.start >= from);
  return { turn: isUnheard?.turn ?? turn, proof: { turn: turn.index, quote: excerpt(text.slice(start, until)) } };
}

type Place = { range: TextRange; why: string | null };

function locator(said: WantedSpeech): (text: string) => Place[] | "too_costly" {
  if (said.kind === "pattern") {
    return (text) => {
      const range = search(said.pattern, text);
      if (range === "too_costly") return range;
      if (range !== undefined) return [{ range, why: null }];
      return inJoinedDigits(said.pattern, text);
    };
  }
  return wordLocator(said.text);
}

function wordLocator(said: string): (text: string) => Place[] {
  const wanted = wordsOf(said);
  const signs = said.trim();
  if (wanted.length === 0) return (text) => findSigns(signs, text);
  return (text) => {
    const words = wordsOf(text);
    const all = allWords(wanted, words);
    if (all.length > 0) return all.map((range) => ({ range, why: crossesSentences(said, text, range) }));
    const code = findWords(wanted, words);
    if (code !== undefined) return [{ range: code, why: null }];
    const near = findNearly(wanted, words);
    return near === undefined ? [] : [{ range: near, why: "The agent said nearly these words." }];
  };
}

/** Finds a pattern in the text with groups of digits joined, because "4111 1111" may be one number. */
function inJoinedDigits(pattern: Pattern, text: string): Place[] | "too_costly" {
  const joinedDigits = text.replace(/(?<=\d)[\s-]+(?=\d)/g, "");
  const range = joinedDigits === text ? undefined : search(pattern, joinedDigits);
  if (range === undefined || range === "too_costly") return range ?? [];
  const first = text.search(/\d[\s-]+\d/);
  return [{ range: { start: first, end: text.length }, why: "The pattern matches only with groups of digits joined." }];
}

function crossesSentences(wanted: string, text: string, { start, end }: TextRange): string | null {
  const isTwoSentences = SENTENCE_END.test(text.slice(start, end)) && !SENTENCE_END.test(wanted);
  return isTwoSentences && /\p{L}/u.test(wanted) ? "The words belong to two sentences." : null;
}

const SENTENCE_END = /[.?!]\s+\p{Lu}/u;

/** Finds a text without words, such as "?", by exact comparison. */
function findSigns(signs: string, text: string): Place[] {
  const start = text.indexOf(signs);
  return start < 0 ? [] : [{ range: { start, end: start + signs.length }, why: null }];
}

const needsEnglish = (said: WantedSpeech): boolean => said.kind === "words" && /\d/.test(said.text);
