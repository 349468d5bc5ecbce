import { SpeechFailure } from "../speech.ts";
import { textParts } from "../text-parts.ts";

/** Largest length of an utterance, because the time and memory of flite grow with the square of the length. */
const UTTERANCE_CHARACTERS = 200;

/** Words for signs that flite does not speak, and letters for sounds that it would spell out. */
const WORDS: [sign: RegExp, word: string][] = [
  [/[\u2018\u2019]/g, "'"],
  [/[\u2012-\u2015]/g, ", "],
  [/\u2026/g, "... "],
  [/&/g, " and "],
  [/@/g, " at "],
  [/\+/g, " plus "],
  [/=/g, " equals "],
  [/#/g, " number "],
  [/€/g, " euros "],
  [/£/g, " pounds "],
  [/¥/g, " yen "],
  [/°/g, " degrees "],
  [/ß/g, "ss"],
  [/[æÆ]/g, "ae"],
  [/[øØ]/g, "o"],
  [/[łŁ]/g, "l"],
  [/\bm+hm+\b/gi, "uh huh"],
  [/\bhm+\b/gi, "hum"],
];
const COMBINING_MARKS = /\p{M}/gu;
const OTHER_LETTERS = /(?!\p{Script=Latin})\p{L}/u;
const UNSPOKEN = /[^A-Za-z0-9 .,;:!?'%$()-]/g;

/** Splits a text into utterances. Throws a `SpeechFailure` when the text has no word, or has letters of a script other than Latin. */
export function utterancesOf(text: string): string[] {
  if (OTHER_LETTERS.test(text))
    throw new SpeechFailure(
      "unspeakable",
      "The built-in voices speak only text in Latin letters. Write the turn in English, or choose a voice of a provider for the persona.",
    );
  const spoken = WORDS.reduce((rest, [sign, word]) => rest.replace(sign, word), text.normalize("NFC"))
    .normalize("NFKD")
    .replace(COMBINING_MARKS, "")
    .replace(UNSPOKEN, " ")
    .replace(/\s+/g, " ")
    .trim();
  if (!/[A-Za-z0-9]/.test(spoken))
    throw new SpeechFailure("wordless", "The text contains no word to speak. Write at least one word.");
  return textParts(spoken, UTTERANCE_CHARACTERS).filter((part) => /[A-Za-z0-9]/.test(part));
}
