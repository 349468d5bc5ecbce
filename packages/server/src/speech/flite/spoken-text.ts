import { SpeechFailure } from "../speech.ts";

/** The longest text of one turn; over four minutes of speech. */
const CHARACTERS_MAX = 5_000;
/** flite's time and memory grow with the square of an utterance. */
const UTTERANCE_CHARACTERS = 200;

/** Words for signs that flite does not speak, and letters for sounds that it would spell. */
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

/**
 * Returns the text as utterances in the characters that flite speaks. Refuses a text that is too long, has no word, or has
 * letters of another script.
 */
export function utterancesOf(text: string): string[] {
  if (text.length > CHARACTERS_MAX)
    throw new SpeechFailure(
      "unspeakable",
      `A turn has ${text.length} characters, and a voice speaks at most ${CHARACTERS_MAX}. Shorten the turn.`,
    );
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
    throw new SpeechFailure("unspeakable", "The text contains no word to speak. Write at least one word.");
  return split(spoken);
}

/** Splits a text at the ends of sentences, else at spaces, into parts that are not too long. */
function split(text: string): string[] {
  const parts: string[] = [];
  let rest = text;
  while (rest.length > UTTERANCE_CHARACTERS) {
    const window = rest.slice(0, UTTERANCE_CHARACTERS);
    const end = [/^.*[.!?](?= )/, /^.*[,;:](?= )/, /^.*(?= )/].flatMap((cut) => cut.exec(window)?.[0].length ?? []);
    const length = end.find((candidate) => candidate > 0) ?? UTTERANCE_CHARACTERS;
    parts.push(rest.slice(0, length));
    rest = rest.slice(length).trimStart();
  }
  return [...parts, rest].filter((part) => /[A-Za-z0-9]/.test(part));
}
