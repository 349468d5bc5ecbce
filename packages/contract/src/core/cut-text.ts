/** Returns a text of at most this many characters: a longer one is cut between two characters and ends with `…`. */
export function cutText(text: string, characters: number): string {
  if (text.length <= characters) return text;
  const isPairSplit = /[\uD800-\uDBFF]/.test(text[characters - 2] ?? "");
  return `${text.slice(0, characters - (isPairSplit ? 2 : 1))}…`;
}
