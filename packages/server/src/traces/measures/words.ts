const LONGEST_TEXT = 20_000;

let segmenter: Intl.Segmenter | undefined;

/** Loads the Unicode rules at the first call, so that the service starts faster. */
export const segmentsOf = (text: string): Intl.Segments =>
  (segmenter ??= new Intl.Segmenter("en", { granularity: "word" })).segment(text);

/**
 * Counts words by the Unicode rules, which also work for languages without spaces. Returns null for a text that is too long for one turn.
 */
export function wordCount(text: string): number | null {
  if (text.length > LONGEST_TEXT) return null;
  if (isPlain(text)) return text.match(PLAIN_WORD)?.length ?? 0; // several times as fast as the segmenter
  let count = 0;
  for (const segment of segmentsOf(text)) if (segment.isWordLike) count++;
  return count;
}

/** Returns whether a text has only ASCII characters and no underscores. A pattern then finds its words. */
const isPlain = (text: string): boolean => /^[\n\x20-\x5e\x60-\x7e]*$/.test(text);

/** A word of plain text by the Unicode rules. Some signs may be between two letters, and some between two digits. */
const PLAIN_WORD = /[A-Za-z0-9](?:[A-Za-z0-9]|(?<=[A-Za-z])[.':](?=[A-Za-z])|(?<=[0-9])[.,;'](?=[0-9]))*/g;

/** Largest number of words that are compared, because the work grows with the square of the number of words. */
const WORDS_MAX = 1_500;

/**
 * Returns the word error rate: the share of the said words that differ in the reported words, at most 1. Ignores case
 * and punctuation.
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

/** Returns the least number of words to replace, remove and add (Levenshtein distance). */
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
