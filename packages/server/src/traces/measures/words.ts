const LONGEST_TEXT = 20_000;

let segmenter: Intl.Segmenter | undefined;

/** Returns the words of a text and what is between them. The rules of Unicode are loaded at the first use, for a faster start. */
export const segmentsOf = (text: string): Intl.Segments =>
  (segmenter ??= new Intl.Segmenter("en", { granularity: "word" })).segment(text);

/**
 * Returns the number of words by the rules of Unicode, which also apply to languages without spaces; null for a text that
 * is too long for one turn.
 */
export function wordCount(text: string): number | null {
  if (text.length > LONGEST_TEXT) return null;
  let count = 0;
  for (const segment of segmentsOf(text)) if (segment.isWordLike) count++;
  return count;
}
