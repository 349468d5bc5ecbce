const LONGEST_TEXT = 20_000;

const words = new Intl.Segmenter("en", { granularity: "word" });

/**
 * Returns the number of words by the rules of Unicode, which also apply to languages without spaces; null for a text that
 * is too long for one turn.
 */
export function wordCount(text: string): number | null {
  if (text.length > LONGEST_TEXT) return null;
  let count = 0;
  for (const segment of words.segment(text)) if (segment.isWordLike) count++;
  return count;
}
