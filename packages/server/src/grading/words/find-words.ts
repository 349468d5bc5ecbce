import { findJoined, isCurrency, type TextRange, type Word } from "./words.ts";

/**
 * Length of the shortest spoken code, such as a booking number, that may be said in parts. A shorter code must be said as a whole, so that
 * "1, 5 guests" does not contain 15.
 */
const CODE_CHARACTERS_MIN = 3;
/** Length of the shortest word that is compared without its ending. Shorter words resemble too many others. */
const STEM_CHARACTERS_MIN = 4;

/** Returns a place at which the wanted words were said. A code or a spelled word may be said in parts. */
export const findWords = (wanted: readonly Word[], said: readonly Word[]): TextRange | undefined =>
  allWords(wanted, said)[0] ?? findCode(wanted, said);

export function allWords(wanted: readonly Word[], said: readonly Word[]): TextRange[] {
  const ranges: TextRange[] = [];
  if (wanted.length === 0) return ranges;
  for (let at = 0; at + wanted.length <= said.length; at++) {
    if (!wanted.every(({ text }, i) => said[at + i]!.text === text || said[at + i]!.owner === text)) continue;
    const last = at + wanted.length - 1;
    if (cutsNumber(wanted, said, at, last)) continue;
    ranges.push({ start: said[at]!.start, end: said[last]!.end });
    at = last;
  }
  return ranges;
}

/** Returns whether a place cuts a number: "50 euros" is no part of "5.50 euros", and 5 is no part of "minus 5". */
const cutsNumber = (wanted: readonly Word[], said: readonly Word[], first: number, last: number) =>
  wanted.some((word, i) => word.decimals !== said[first + i]!.decimals) ||
  said[last + 1]?.decimals === true ||
  (/^\d/.test(wanted[0]!.text) && said[first - 1]?.text === "minus" && !/^\d/.test(said[first - 2]?.text ?? ""));

/** Returns a place at which `said` contains words that may mean the wanted ones: other endings, contractions, or joined words. */
export function findNearly(wanted: readonly Word[], said: readonly Word[]): TextRange | undefined {
  const [roots, saidRoots] = [rootsOf(wanted), rootsOf(said)];
  const found = allWords(roots, saidRoots)[0];
  if (found !== undefined || roots.length === 0) return found;
  const joined = roots.map(({ text }) => text).join("");
  if (joined.length < STEM_CHARACTERS_MIN) return undefined;
  return (
    findJoined(joined, saidRoots, false) ?? (LONG_CODE.test(joined) ? findJoined(joined, digitsOf(said)) : undefined)
  );
}

/** Matches a long code. When somebody says it in parts, other words may be between the parts, as in "555 ... let me see ... 0134". */
const LONG_CODE = /^\d{5,}$/;

const digitsOf = (words: readonly Word[]) =>
  words.filter(({ text, slashed }) => /^\d+$/.test(text) && slashed !== true);

const CONTRACTIONS = new Map(
  [
    "dont:do not",
    "doesnt:does not",
    "didnt:did not",
    "cant:can not",
    "cannot:can not",
    "couldnt:could not",
    "wont:will not",
    "wouldnt:would not",
    "shouldnt:should not",
    "isnt:is not",
    "arent:are not",
    "wasnt:was not",
    "havent:have not",
    "hasnt:has not",
    "im:i am",
    "ive:i have",
    "ill:i will",
    "id:i would",
    "youre:you are",
    "youll:you will",
    "youve:you have",
    "were:we are",
    "weve:we have",
    "well:we will",
    "thats:that is",
    "theres:there is",
    "whats:what is",
    "its:it is",
    "theyre:they are",
  ].map((pair) => pair.split(":") as [string, string]),
);

const rootsOf = (words: readonly Word[]): Word[] =>
  words
    .filter((word) => !isCurrency(word))
    .flatMap(({ text, start, end }) =>
      (CONTRACTIONS.get(text) ?? text).split(" ").map((part) => ({ text: stemOf(part), start, end })),
    );

function stemOf(word: string): string {
  if (!/^[a-z]+$/.test(word)) return word;
  const stem = word.replace(/(?:ies|ied|ying|y)$/, "i").replace(/(?:ings?|ed|ers?|es|s|ly|e)$/, "");
  return stem.length < STEM_CHARACTERS_MIN - 1 ? word : stem.replace(/([b-df-hj-np-tv-z])\1$/, "$1");
}

const isPiece = (text: string) => /^(\d+|\p{L})$/u.test(text);

function findCode(wanted: readonly Word[], said: readonly Word[]): TextRange | undefined {
  const code = wanted.map(({ text }) => text).join("");
  if (code.length < CODE_CHARACTERS_MIN || !(wanted.length === 1 || wanted.some(({ text }) => /\d/.test(text))))
    return undefined;
  if (wanted.some((word) => word.decimals || isCurrency(word))) return undefined;
  const codeWords = new Set(wanted.map(({ text }) => text));
  let run: Word[] = [];
  for (const word of said) {
    if (!word.decimals && !word.slashed && (isPiece(word.text) || codeWords.has(word.text))) {
      run.push(word);
      continue;
    }
    const range = findJoined(code, run);
    if (range !== undefined) return range;
    run = [];
  }
  return findJoined(code, run);
}
