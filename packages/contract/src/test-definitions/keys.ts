/** Matches one key of a telephone. */
const KEY = "[0-9*#A-D]";
const KEYS = new RegExp(String.raw`\[presses (${KEY}(?: ?${KEY}){0,63})\]`, "gi");
const LIST = new RegExp(`^${KEY}{1,64}$`);

/** Part of the text of a turn: words, or keys of a telephone. */
export type TurnPart = { kind: "words"; text: string } | { kind: "keys"; keys: string };

/** Returns the text of a turn in which somebody presses these keys of a telephone. */
export const keysText = (keys: string): string => `[presses ${keys}]`;

/** Returns keys as one text without spaces and commas; undefined when the text contains anything that is no key. */
export function keysOf(text: string): string | undefined {
  const keys = text.toUpperCase().replaceAll(/[\s,]/g, "");
  return LIST.test(keys) ? keys : undefined;
}

/** Splits the text of a turn into its words and the keys in it. */
export function turnParts(text: string): TurnPart[] {
  const parts: TurnPart[] = [];
  let at = 0;
  const addWords = (end: number) => {
    const words = text.slice(at, end).trim();
    if (words !== "") parts.push({ kind: "words", text: words });
  };
  for (const match of text.matchAll(KEYS)) {
    addWords(match.index);
    parts.push({ kind: "keys", keys: keysOf(match[1]!)! });
    at = match.index + match[0].length;
  }
  addWords(text.length);
  return parts;
}
