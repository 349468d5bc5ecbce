import type { TextRange } from "../words/words.ts";

const SENTENCE_SIGN = /[.?!](?=\s|$)/g;
/** A clause that follows a comma may belong to a negation before it: "I cannot, as I said, give refunds". */
const CLAUSE_BEGINS =
  /[.?!](?=\s|$)|[;:]|\b(?:but|however|aber|sondern|pero|sino|mais|mas)\b|\b(?:and|so) (?=(?:i|we|he|she|they|there)\b)/gi;
const CLAUSE_ENDS =
  /[,.;:?!–—]|\b(?:but|and|or|so|because|that|which|who|if|while|although|aber|und|oder|pero|mais)\b/gi;
const TOOL_SIGN = /[",:{}()[\]→.;?!]/g;

/** Returns the sentence around a place of a text. */
export const sentenceAround = (text: string, place: TextRange) => around(text, place, SENTENCE_SIGN, SENTENCE_SIGN);

/** Returns the clause around a place of what someone says. */
export const clauseAround = (text: string, place: TextRange) => around(text, place, CLAUSE_BEGINS, CLAUSE_ENDS);

/** Returns the name or value around a place of a line about a tool call. */
export const valueAround = (line: string, place: TextRange) => around(line, place, TOOL_SIGN, TOOL_SIGN);

function around(text: string, { start, end }: TextRange, begins: RegExp, ends: RegExp): TextRange {
  const before = [...text.matchAll(begins)].findLast((match) => match.index + match[0].length <= start);
  const after = [...text.matchAll(ends)].find(({ index }) => index >= end);
  return { start: before ? before.index + before[0].length : 0, end: after?.index ?? text.length };
}
