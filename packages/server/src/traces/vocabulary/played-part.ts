const words = (text: string) => text.trim().split(/\s+/).join(" ");

/** Returns `played` when `text` begins with it, else null. Differences in white space do not count. */
export function playedPart(text: string | null, played: string | null): string | null {
  if (text === null || played === null || !words(text).startsWith(words(played))) return null;
  return played.trim();
}
