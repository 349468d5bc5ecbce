import { numberAt } from "./number-words.ts";

/** A word as it is compared, and where it stands in the text that it was read from. */
type Word = { text: string; start: number; end: number };

/** The part of a text where something was found. */
export type Place = { start: number; end: number };

/** Numbers with separators of thousands, ordinals, numbers; letters; each sign of a script without spaces alone. */
const TOKEN =
  /(\d{1,3}(?:,\d{3})+(?!\d))|(\d+)(?:st|nd|rd|th)(?![\p{L}\p{N}])|\p{N}+|[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}]|[\p{L}\p{M}](?:['’]?[\p{L}\p{M}])*/gu;

/** A code is read out in pieces; shorter ones are found whole only, so that "1, 5 guests" is no 15. */
const CODE_CHARACTERS_MIN = 3;
/** A telephone number may stand behind its country code. */
const TELEPHONE_DIGITS_MIN = 7;

/**
 * A text as words that compare equal however they are written: case, accents, punctuation and space do not count, and
 * numbers are digits, in English also when they are spelled out.
 */
export function wordsOf(text: string): Word[] {
  const tokens = [...text.matchAll(TOKEN)].map(({ 0: token, 1: thousands, 2: ordinal, index }): Word => ({
    text: thousands?.replaceAll(",", "") ?? ordinal ?? folded(token),
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

const folded = (token: string): string =>
  token
    .normalize("NFKD")
    .replace(/[\u0300-\u036f'’]/g, "")
    .toLowerCase();

/** Where these words stand, one behind the other; a code or a spelled word also where it is read out in pieces. */
export function findWords(wanted: readonly Word[], said: readonly Word[]): Place | undefined {
  if (wanted.length === 0) return undefined;
  return findSequence(wanted, said) ?? findCode(wanted, said);
}

function findSequence(wanted: readonly Word[], said: readonly Word[]): Place | undefined {
  for (let at = 0; at + wanted.length <= said.length; at++) {
    if (wanted.every(({ text }, i) => said[at + i]!.text === text))
      return { start: said[at]!.start, end: said[at + wanted.length - 1]!.end };
  }
  return undefined;
}

const isPiece = (text: string) => /^(\d+|\p{L})$/u.test(text);

function findCode(wanted: readonly Word[], said: readonly Word[]): Place | undefined {
  const code = wanted.map(({ text }) => text).join("");
  if (code.length < CODE_CHARACTERS_MIN || !(wanted.length === 1 || wanted.some(({ text }) => /\d/.test(text))))
    return undefined;
  const own = new Set(wanted.map(({ text }) => text));
  let run: Word[] = [];
  for (const word of said) {
    if (isPiece(word.text) || own.has(word.text)) {
      run.push(word);
      continue;
    }
    const place = findJoined(code, run);
    if (place !== undefined) return place;
    run = [];
  }
  return findJoined(code, run);
}

/** Where the words, written without spaces, hold a text that begins and ends with a word; a telephone number may begin anywhere. */
export function findJoined(wanted: string, said: readonly Word[]): Place | undefined {
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
    if (anywhere) return placeOf(said, at, at + wanted.length);
  }
  return undefined;
}

/** The whole words that lie in a stretch of the joined text. */
function placeOf(said: readonly Word[], from: number, to: number): Place {
  let at = 0;
  const within = said.filter((word) => {
    const start = at;
    at += word.text.length;
    return at > from && start < to;
  });
  return { start: within[0]!.start, end: within.at(-1)!.end };
}
