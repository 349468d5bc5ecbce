const words = (text: string) => text.trim().split(/\s+/).join(" ");

/** Ignores differences in white space. */
export function playedPart(text: string | null, played: string | null): string | null {
  if (text === null || played === null || !words(text).startsWith(words(played))) return null;
  return played.trim();
}
