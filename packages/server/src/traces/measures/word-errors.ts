import { segmentsOf } from "./words.ts";

/** Longer texts are compared up to this number of words, because the work grows with its square. */
const WORDS_MAX = 1_500;

/**
 * Returns the share of the said words that differ in the reported words, at most 1 (word error rate); null when nothing was
 * said. Case and punctuation do not count.
 */
export function wordErrors(said: readonly string[], reported: readonly string[]): number | null {
  const [words, heard] = [wordsOf(said), wordsOf(reported)];
  return words.length === 0 ? null : Math.min(1, distance(words, heard) / words.length);
}

function wordsOf(texts: readonly string[]): string[] {
  const words: string[] = [];
  for (const text of texts) {
    for (const { isWordLike, segment } of segmentsOf(text)) {
      if (isWordLike) words.push(segment.toLowerCase());
      if (words.length === WORDS_MAX) return words;
    }
  }
  return words;
}

/** Returns the smallest number of replaced, missing and added words (Levenshtein). */
function distance(from: readonly string[], to: readonly string[]): number {
  let row = Uint32Array.from({ length: to.length + 1 }, (_, at) => at);
  for (const [at, word] of from.entries()) {
    const next = new Uint32Array(to.length + 1);
    next[0] = at + 1;
    for (const [other, heard] of to.entries()) {
      next[other + 1] = Math.min(next[other]! + 1, row[other + 1]! + 1, row[other]! + (word === heard ? 0 : 1));
    }
    row = next;
  }
  return row[to.length]!;
}
