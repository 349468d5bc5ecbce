import { wordsOf } from "./words.ts";

/** A sentence: its exact text, and its comparable words with a space around each. */
export type Sentence = { text: string; words: string };

const SENTENCE = /[^.?!\n。？！]+[.?!\n。？！]*/g;

export const sentencesOf = (text: string): Sentence[] =>
  (text.match(SENTENCE) ?? [])
    .map((sentence) => ({ text: sentence.trim(), words: spaced(sentence) }))
    .filter(({ words }) => words !== "  ");

/** Returns the comparable words of a text with a space around each, so that ` word ` finds whole words only. */
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

/** Returns whether the texts look English; the phrases of checks mean nothing in other languages. */
export function isEnglish(texts: readonly string[]): boolean {
  const words = texts.flatMap((text) => wordsOf(text));
  return words.filter(({ text }) => ENGLISH.has(text)).length >= words.length * ENGLISH_SHARE_MIN;
}

const ASKING = [
  ..."please what whats which when who whom whose where how could can may would".split(" "),
  ..."tell me,give me,let me know,let me have,let me get,need your,need the,need a,need to know,need to have,provide,share,confirm,spell,enter,say your".split(
    ",",
  ),
];
/** Phrases of statements and offers; without a question mark such a sentence asks for nothing. */
const STATING =
  "i have your,i have the,i can see,i see,i found,ive got,i got,i will send,ill send,thank you for,thanks for".split(
    ",",
  );
/** Phrases that ask the caller to wait, or say that something is not needed. */
const NOT_ASKING = [
  "while i",
  "let me check,let me look,let me pull,let me see,let me verify,let me confirm",
  "do not need,dont need,no need,wont need,will not need,not necessary,without your,never ask,cannot ask,cant ask",
].flatMap((line) => line.split(","));

/** Returns whether the sentence asks the listener for something, as a question or as a request. */
export function asks({ text, words }: Sentence): boolean {
  if (hasAny(words, NOT_ASKING)) return false;
  return /[?？]/.test(text) || (hasAny(words, ASKING) && !hasAny(words, STATING));
}
