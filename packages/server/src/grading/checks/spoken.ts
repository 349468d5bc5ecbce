import { excerpt } from "../bounds.ts";
import type { Proof } from "../decision.ts";
import { type Evidence, type EvidenceTurn, mayContainMore, readText } from "../evidence.ts";
import { allWords, findNearly, findWords } from "../find-words.ts";
import { search } from "../pattern/pattern.ts";
import { isEnglish } from "../sentences.ts";
import { type TextRange, wordsOf } from "../words.ts";
import type { WantedSpeech } from "./check.ts";

/** A turn with its index in the conversation. */
export type IndexedTurn = EvidenceTurn & { index: number };

/** The places where words were said, the places that may mean them, and why more may have been said. */
export type Mentions = {
  sure: (Proof & { turn: number })[];
  possible: { proof: Proof & { turn: number }; why: string }[];
  doubt: string | null;
};

/** After this many turns that are too long for a pattern, the search stops; a check then takes less than a second. */
const COSTLY_TURNS_MAX = 3;

export const turnsOf = ({ turns }: Evidence, speaker: EvidenceTurn["speaker"]): IndexedTurn[] =>
  turns.map((turn, index) => ({ ...turn, index })).filter((turn) => turn.speaker === speaker);

/**
 * Finds words or a pattern in turns of one speaker. Turns that follow each other directly are read as one. The language is
 * that of all turns of the speaker.
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
  if (needsEnglish(said) && !isEnglish(all.map((turn) => readText(turn) ?? "")))
    mentions.doubt ??= "Numbers in words are understood in English alone.";
  return mentions;
}

/** The text of turns that follow each other, and where each of them begins in it. */
type Passage = { text: string; parts: { turn: IndexedTurn; start: number }[]; unknown: number | null };

function passagesOf(turns: readonly IndexedTurn[]): Passage[] {
  const passages: Passage[] = [];
  for (const turn of turns) {
    const before = passages.at(-1);
    const follows = before !== undefined && before.parts.at(-1)!.turn.index === turn.index - 1;
    const passage = follows ? before : { text: "", parts: [], unknown: null };
    if (!follows) passages.push(passage);
    if (follows) passage.text += " ";
    passage.parts.push({ turn, start: passage.text.length });
    passage.text += readText(turn) ?? "";
    if (mayContainMore(turn)) passage.unknown ??= turn.index;
  }
  return passages;
}

/** Returns the proof of a place: its part in the turn where it begins. */
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
      return range === "too_costly" ? range : range === undefined ? [] : [{ range, why: null }];
    };
  }
  const wanted = wordsOf(said.text);
  const signs = said.text.trim();
  if (wanted.length === 0) return (text) => findSigns(signs, text);
  return (text) => {
    const words = wordsOf(text);
    const all = allWords(wanted, words);
    if (all.length > 0) return all.map((range) => ({ range, why: null }));
    const code = findWords(wanted, words);
    if (code !== undefined) return [{ range: code, why: null }];
    const near = findNearly(wanted, words);
    return near === undefined ? [] : [{ range: near, why: "The agent said nearly these words." }];
  };
}

/** Finds text without a word, like "?", exactly. */
function findSigns(signs: string, text: string): Place[] {
  const start = text.indexOf(signs);
  return start < 0 ? [] : [{ range: { start, end: start + signs.length }, why: null }];
}

const needsEnglish = (said: WantedSpeech): boolean => said.kind === "words" && /\d/.test(said.text);
