// Control characters but tab and line feed, and the marks that reorder text: what a service sends must not drive the terminal.
const DRIVING = /[^\P{Cc}\t\n]|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu;
const UNSEEN_IN_JSON = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

export const clean = (text: string): string => text.replaceAll(DRIVING, "");

/** The same value with every text in it, names of members included, fit for a terminal. */
export function cleaned<T>(value: T): T {
  if (typeof value === "string") return clean(value) as T;
  if (Array.isArray(value)) return value.map(cleaned) as T;
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [clean(name), cleaned(member)])) as T;
}

/** JSON whose text a terminal shows and never obeys; it parses to the same value. */
export const jsonText = (value: unknown, indent = 2): string =>
  JSON.stringify(value, null, indent).replaceAll(
    UNSEEN_IN_JSON,
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

const ZERO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}]/u;
const WIDE =
  /^[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|^\p{Emoji_Presentation}|\ufe0f/u;

/** Columns that a character as people see it takes in a terminal, roughly: wide scripts and emoji take two. */
const columnsOf = (character: string): number => (ZERO_WIDTH.test(character) ? 0 : WIDE.test(character) ? 2 : 1);

const ASCII = /^[\x20-\x7e]*$/;
const characters = new Intl.Segmenter("en", { granularity: "grapheme" });

export function width(text: string): number {
  if (ASCII.test(text)) return text.length;
  let columns = 0;
  for (const { segment } of characters.segment(text)) columns += columnsOf(segment);
  return columns;
}

/** Where a word may be broken: beside the characters of scripts that are written without spaces. */
export function pieces(word: string): string[] {
  if (ASCII.test(word)) return [word];
  const broken: string[] = [];
  let narrow = false;
  for (const { segment } of characters.segment(word)) {
    const joins = narrow && width(segment) < 2;
    if (joins) broken[broken.length - 1] += segment;
    else broken.push(segment);
    narrow = width(segment) < 2;
  }
  return broken;
}

/** The text cut to so many columns, with an ellipsis where something is left out. */
export function fit(text: string, columns: number): string {
  if (width(text) <= columns) return text;
  let kept = "";
  let used = 0;
  for (const { segment } of characters.segment(text)) {
    used += columnsOf(segment);
    if (used > columns - 1) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}
