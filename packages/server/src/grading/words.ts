import { numberAt } from "./number-words.ts";

/** A word in its comparable form, and its position in the original text. */
type Word = { text: string; start: number; end: number };

/** A part of a text, by the positions of its characters. */
export type TextRange = { start: number; end: number };

/** Numbers with thousands separators, ordinals, numbers, words, and single characters of scripts without spaces. */
const TOKEN =
  /(\d{1,3}(?:,\d{3})+(?!\d))|(\d+)(?:st|nd|rd|th)(?![\p{L}\p{N}])|\p{N}+|[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}]|[\p{L}\p{M}](?:['’]?[\p{L}\p{M}])*/gu;

/** Shortest code that may be spoken in pieces; a shorter one must be whole, so that "1, 5 guests" does not contain 15. */
const CODE_CHARACTERS_MIN = 3;
/** Shortest telephone number; a telephone number may follow its country code. */
const TELEPHONE_DIGITS_MIN = 7;

/**
 * Returns the words of a text in comparable form: case, accents, punctuation and spaces do not count, and numbers are in
 * digits, also when they are spelled out in English.
 */
export function wordsOf(text: string): Word[] {
  const tokens = [...text.matchAll(TOKEN)].map(({ 0: token, 1: thousands, 2: ordinal, index }): Word => ({
    text: thousands?.replaceAll(",", "") ?? ordinal ?? fold(token),
    start: index,
    end: index + token.length,
  }));
  const texts = tokens.map((token) => token.text);
  const words: Word[] = [];
  for (let at = 0; at < tokens.length;) {
    const number = numberAt(texts, at);
    const used = number?.words ?? 1;
    words.push({ text: number?.digits ?? texts[at]!, start: tokens[at]!.start, end: tokens[at + used - 1]!.end });
    at += used;
  }
  return words;
}

const fold = (token: string): string =>
  token
    .normalize("NFKD")
    .replace(/[\u0300-\u036f'’]/g, "")
    .toLowerCase();

/** Returns where `said` contains the wanted words in sequence; a code or a spelled word may be spoken in pieces. */
export function findWords(wanted: readonly Word[], said: readonly Word[]): TextRange | undefined {
  if (wanted.length === 0) return undefined;
  return findSequence(wanted, said) ?? findCode(wanted, said);
}

function findSequence(wanted: readonly Word[], said: readonly Word[]): TextRange | undefined {
  for (let at = 0; at + wanted.length <= said.length; at++) {
    if (wanted.every(({ text }, i) => said[at + i]!.text === text))
      return { start: said[at]!.start, end: said[at + wanted.length - 1]!.end };
  }
  return undefined;
}

const isPiece = (text: string) => /^(\d+|\p{L})$/u.test(text);

function findCode(wanted: readonly Word[], said: readonly Word[]): TextRange | undefined {
  const code = wanted.map(({ text }) => text).join("");
  if (code.length < CODE_CHARACTERS_MIN || !(wanted.length === 1 || wanted.some(({ text }) => /\d/.test(text))))
    return undefined;
  const codeWords = new Set(wanted.map(({ text }) => text));
  let run: Word[] = [];
  for (const word of said) {
    if (isPiece(word.text) || codeWords.has(word.text)) {
      run.push(word);
      continue;
    }
    const range = findJoined(code, run);
    if (range !== undefined) return range;
    run = [];
  }
  return findJoined(code, run);
}

/** Returns where the words without spaces contain `wanted` at word boundaries; a telephone number may start anywhere. */
export function findJoined(wanted: string, said: readonly Word[]): TextRange | undefined {
  if (wanted === "") return undefined;
  const starts = new Map<number, Word>();
  const ends = new Map<number, Word>();
  let joined = "";
  for (const word of said) {
    starts.set(joined.length, word);
    joined += word.text;
    ends.set(joined.length, word);
  }
  const anywhere = /^\d+$/.test(wanted) && wanted.length >= TELEPHONE_DIGITS_MIN;
  for (let at = joined.indexOf(wanted); at >= 0; at = joined.indexOf(wanted, at + 1)) {
    const [first, last] = [starts.get(at), ends.get(at + wanted.length)];
    if (first !== undefined && last !== undefined) return { start: first.start, end: last.end };
    if (anywhere) return rangeOf(said, at, at + wanted.length);
  }
  return undefined;
}

/** Returns the range of the whole words that overlap a part of the joined text. */
function rangeOf(said: readonly Word[], from: number, to: number): TextRange {
  let at = 0;
  const within = said.filter((word) => {
    const start = at;
    at += word.text.length;
    return at > from && start < to;
  });
  return { start: within[0]!.start, end: within.at(-1)!.end };
}
