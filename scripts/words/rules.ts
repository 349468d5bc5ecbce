// The rules of the project's English: the openings, words and phrases that it forbids, and the correction for each.
import type { Prose } from "./prose.ts";

type Finding = { line: number; sentence: string; mend: string };

const OPENINGS: Record<string, string> = {
  of: "begin with the subject, not with Of",
  as: "begin with the subject, not with As; a reason follows with `because`, a time with `when`",
  so: "begin with the subject, not with So; join cause and effect with `, so`",
  what: "name the thing by its noun instead of What; a question ends with ?",
};

/** Forbidden phrases, word for word. */
const PHRASES: [phrase: string, mend: string][] = [
  ["told", "name the act: reported, sent, listed, known"],
  ["tells", "name the act: says, shows, reports"],
  ["bears", "write `has` or `carries`"],
  ["so many", "write the number or `this many`"],
  ["so often", "write the number or `this often`"],
  ["is none", "write `there is no …`"],
  ["are none", "write `there are no …`"],
  ["of its own", "write `its own …`, `a separate …` or nothing"],
  ["of their own", "write `their own …`, `separate …` or nothing"],
  ["of his own", "write `his own …`"],
  ["of our own", "write `our own …`"],
  ["lets nobody", "say who is refused"],
  ["that nobody", "say who does not"],
  ["once more", "write `again`"],
];

/** Words that end like a participle and are nouns. */
const NOUNS_IN_ED = new Set(
  "bed bleed breed creed deed embed feed greed hundred indeed need reed seed shed shred sled speed steed thread weed".split(
    " ",
  ),
);
/** Irregular participles, without those that are nouns too (read, set, cut, run, split, hit, left). */
const IRREGULAR = new Set(
  "begun bought broken brought built caught chosen done drawn driven fallen forgotten found given gone grown heard held hidden kept known lost made meant met paid said seen sent shown sold spent spoken taken thought thrown told understood withheld won written".split(
    " ",
  ),
);
const DETERMINERS = new Set("the those these every another its their our your his her my whose".split(" "));
/** A participle before one of these words is used as a noun. */
const NO_NOUN_FOLLOWS = new Set(
  "about above after against among are as at be because before behind below beside between but by can cannot could did do does during for from goes had has have if in into is may might must never next nor not on once only or out over should since so stay stays than that then there through to together too under until up was were when where which while who whose will with within without would yet".split(
    " ",
  ),
);
const ADVERBS = new Set("actually already always also ever just never not now only still yet".split(" "));
const BE = new Set("is are was were be been has have had".split(" "));

const isParticiple = (word: string): boolean =>
  IRREGULAR.has(word) || (word.length > 3 && word.endsWith("ed") && !NOUNS_IN_ED.has(word));

export function findingsIn(prose: Prose): Finding[] {
  return sentencesOf(prose).flatMap(({ line, text, first }) => {
    const words = wordsOf(text);
    const mends = [
      ...opening(words, text, first),
      ...phrases(words),
      ...standsAndLies(words),
      ...whatIsKept(words, text),
      ...participlesAsNouns(words),
    ];
    return mends.map((mend) => ({ line, sentence: text.replaceAll(/\s+/g, " ").trim(), mend }));
  });
}

function opening(words: string[], text: string, first: boolean): string[] {
  const word = words[0] ?? "";
  const mend = OPENINGS[word.toLowerCase()];
  if (mend === undefined || isQuestion(text)) return [];
  return first || word !== word.toLowerCase() ? [mend] : [];
}

function phrases(words: string[]): string[] {
  const text = ` ${words.join(" ").toLowerCase()} `;
  return PHRASES.filter(([phrase]) => text.includes(` ${phrase} `)).map(([phrase, mend]) => `"${phrase}": ${mend}`);
}

/** Finds "stands" and "lies". An abbreviation may stand for something, and a person may stand up or by. */
function standsAndLies(words: string[]): string[] {
  return words.flatMap((word, at) => {
    const [lower, next = ""] = [word.toLowerCase(), words[at + 1]?.toLowerCase()];
    const idiom = ["for", "out", "up", "by"].includes(next) || (next === "in" && lowerAt(words, at + 2) === "for");
    const stands = ["stands", "stand", "stood"].includes(lower) && !idiom;
    const lies = lower === "lies" || lower === "lain";
    return stands || lies ? [`"${word}": write \`is\`, or name the act (is stored, applies, waits)`] : [];
  });
}

/** Finds "what is kept" and the like, outside questions. */
function whatIsKept(words: string[], text: string): string[] {
  if (isQuestion(text)) return [];
  return words.flatMap((word, at) => {
    if (word.toLowerCase() !== "what") return [];
    let next = at + 1;
    while (BE.has(lowerAt(words, next)) || ADVERBS.has(lowerAt(words, next))) next++;
    if (next === at + 1 || !isParticiple(lowerAt(words, next))) return [];
    return [`"${words.slice(at, next + 1).join(" ")}": name the thing by its noun`];
  });
}

/** Finds a participle between a determiner and a word that is no noun: "the known", "those given". */
function participlesAsNouns(words: string[]): string[] {
  return words.flatMap((word, at) => {
    const determined = DETERMINERS.has(word.toLowerCase()) || /['’]s$/.test(word);
    if (!determined || !isParticiple(lowerAt(words, at + 1))) return [];
    let next = at + 2;
    while (["and", "or"].includes(lowerAt(words, next)) && isParticiple(lowerAt(words, next + 1))) next += 2;
    const follower = lowerAt(words, next);
    const isNoun =
      follower === "" || follower === "and" || /^[.,;:!?)—–]/.test(follower) || NO_NOUN_FOLLOWS.has(follower);
    return isNoun ? [`"${word} ${words[at + 1]}": a participle is no noun; name the thing`] : [];
  });
}

const lowerAt = (words: string[], at: number): string => words[at]?.toLowerCase() ?? "";

const isQuestion = (text: string): boolean => text.trimEnd().endsWith("?");

/** The words and marks of a sentence; emphasis and an opening bracket are no words. */
const wordsOf = (text: string): string[] =>
  text.match(/‹\w+›|[\p{L}\p{N}_]+(?:['’.-][\p{L}\p{N}_]+)*['’]?|[.,;:!?)—–]/gu) ?? [];

type Sentence = { line: number; text: string; first: boolean };

/** Splits a piece at full stops, blank lines and list items; code and quotations become one word each. */
function sentencesOf({ line, text }: Prose): Sentence[] {
  const plain = text
    .replaceAll(/^[ \t]*(```|~~~)[\s\S]*?^[ \t]*\1/gm, (code) => `\n${blank(code)}\n`.slice(1, -1))
    .replaceAll(/^ {4,}\S.*$/gm, "")
    .replaceAll(/`[^`]+`/g, (code) => `‹code›${blank(code)}`)
    .replaceAll(/"[^"\n]*(\n[^"\n]+)?"|“[^”]*”/g, (quotation) => `‹quotation›${blank(quotation)}`)
    .replaceAll(/\]\([^)\s]*\)/g, "]");
  const sentences: Sentence[] = [];
  for (const block of blocksOf(plain)) {
    let first = true;
    for (const { segment, index } of split(block.text)) {
      if (segment.trim() === "") continue;
      const start = block.start + index + (segment.length - segment.trimStart().length);
      sentences.push({ line: line + newlines(plain.slice(0, start)), text: segment.trim(), first });
      first = false;
    }
  }
  return sentences;
}

/** Blocks are paragraphs, headings, list items, table cells and doc tags. */
function blocksOf(text: string): { start: number; text: string }[] {
  const borders = [...text.matchAll(/\n\s*\n|^\s*(?:#+|[-*>]|\d+\.)\s+|\||^\s*@\w+/gm)];
  const starts = [0, ...borders.map(({ index, 0: border }) => index + border.length)];
  const ends = [...borders.map(({ index }) => index), text.length];
  return starts.map((start, at) => ({ start, text: text.slice(start, ends[at]) }));
}

function split(text: string): { segment: string; index: number }[] {
  const stops = [...text.matchAll(/[.!?…]["”)*_]*(?=\s+["“(*_]*[\p{Lu}‹])/gu)];
  const ends = [...stops.map(({ index, 0: stop }) => index + stop.length), text.length];
  return ends.map((end, at) => {
    const index = at === 0 ? 0 : ends[at - 1]!;
    return { segment: text.slice(index, end), index };
  });
}

const newlines = (text: string): number => text.split("\n").length - 1;
const blank = (text: string): string => "\n".repeat(newlines(text));
