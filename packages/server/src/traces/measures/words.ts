const LONGEST_TEXT = 20_000;

const words = new Intl.Segmenter("en", { granularity: "word" });

/** By the rules of Unicode, so that languages without spaces count too; null for a text too long to be one turn's. */
export function wordCount(text: string): number | null {
  if (text.length > LONGEST_TEXT) return null;
  let count = 0;
  for (const segment of words.segment(text)) if (segment.isWordLike) count++;
  return count;
}
