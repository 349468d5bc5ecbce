import { wordsOf } from "./words.ts";

export type Sentence = { text: string; words: string };

const SENTENCE = /[^.?!\n。？！]+[.?!\n。？！]*/g;

export const sentencesOf = (text: string): Sentence[] =>
  (text.match(SENTENCE) ?? [])
    .map((sentence) => ({ text: sentence.trim(), words: spaced(sentence) }))
    .filter(({ words }) => words !== "  ");

/** Returns the comparable words of a text with a space around each, so that a search for ` word ` finds whole words only. */
export const spaced = (text: string): string =>
  ` ${wordsOf(text)
    .map((word) => word.text)
    .join(" ")} `;

export const hasAny = (words: string, phrases: readonly string[]): boolean =>
  phrases.some((phrase) => words.includes(` ${phrase} `));

const ENGLISH = new Set(
  "the a you your is are to for i it and of in can have we me my do on that this with what".split(" "),
);
const ENGLISH_SHARE_MIN = 0.1;

/** Returns whether the texts are English. Checks look for English phrases, so they decide nothing about other languages. */
export function isEnglish(texts: readonly string[]): boolean {
  const words = texts.flatMap((text) => wordsOf(text));
  return words.filter(({ text }) => ENGLISH.has(text)).length >= words.length * ENGLISH_SHARE_MIN;
}
