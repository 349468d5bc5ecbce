/**
 * Splits a text into parts of at most `charactersMax` characters: at the end of a sentence, else after a comma, semicolon or colon, else at
 * a space, else anywhere.
 */
export function textParts(text: string, charactersMax: number): string[] {
  const parts: string[] = [];
  let rest = text.trim();
  while (rest.length > charactersMax) {
    const window = rest.slice(0, charactersMax);
    const ends = [/^.*[.!?](?= )/s, /^.*[,;:](?= )/s, /^.*(?= )/s].map((cut) => cut.exec(window)?.[0].length ?? 0);
    const length = ends.find((end) => end > 0) ?? charactersMax;
    parts.push(rest.slice(0, length));
    rest = rest.slice(length).trimStart();
  }
  return rest === "" ? parts : [...parts, rest];
}
