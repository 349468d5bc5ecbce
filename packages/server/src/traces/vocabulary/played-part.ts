const words = (text: string) => text.trim().split(/\s+/).join(" ");

/** Returns `played` if `text` begins with it, apart from white space between words; else null. */
export function playedPart(text: string | null, played: string | null): string | null {
  if (text === null || played === null || !words(text).startsWith(words(played))) return null;
  return played.trim();
}
