const words = (text: string) => text.trim().split(/\s+/).join(" ");

/** Returns `played` if it is the beginning of `text`, whatever the white space between the words; else null. */
export function playedPart(text: string | null, played: string | null): string | null {
  if (text === null || played === null || !words(text).startsWith(words(played))) return null;
  return played.trim();
}
