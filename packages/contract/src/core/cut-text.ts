/**
 * Returns the text with at most `characters` UTF-16 code units. A longer text is cut and ends with `…`. The cut never splits a
 * surrogate pair.
 */
export function cutText(text: string, characters: number): string {
  if (text.length <= characters) return text;
  const isPairSplit = /[\uD800-\uDBFF]/.test(text[characters - 2] ?? "");
  return `${text.slice(0, characters - (isPairSplit ? 2 : 1))}…`;
}
