const words = (text: string) => text.trim().split(/\s+/).join(" ");

/** Returns the played text when `text` begins with it, else null. Ignores differences in white space. */
export function playedPart(text: string | null, played: string | null): string | null {
  if (text === null || played === null || !words(text).startsWith(words(played))) return null;
  return played.trim();
}
