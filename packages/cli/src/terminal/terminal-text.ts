// Control characters except tab and line feed, and characters that reorder text. With them, texts from a service could control
// the terminal.
const CONTROLS = /[^\P{Cc}\t\n]|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu;
const INVISIBLE_IN_JSON = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

export const clean = (text: string): string => text.replaceAll(CONTROLS, "");

/** Returns a copy of a value in which all texts are cleaned, including the names of members. */
export function cleaned<T>(value: T): T {
  if (typeof value === "string") return clean(value) as T;
  if (Array.isArray(value)) return value.map(cleaned) as T;
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [clean(name), cleaned(member)])) as T;
}

/** A parser of this JSON returns the same value. */
export const jsonText = (value: unknown, indent = 2): string =>
  JSON.stringify(value, null, indent).replaceAll(
    INVISIBLE_IN_JSON,
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

const ZERO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}]/u;
const WIDE =
  /^[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|^\p{Emoji_Presentation}|\ufe0f/u;

const columnsOf = (character: string): number => (ZERO_WIDTH.test(character) ? 0 : WIDE.test(character) ? 2 : 1);

const ASCII = /^[\x20-\x7e]*$/;
let segmenter: Intl.Segmenter | undefined;

/** Loads the Unicode rules at the first call, for a faster start. */
const charactersOf = (text: string): Intl.Segments =>
  (segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" })).segment(text);

/** Returns the width of a text in terminal columns. */
export function width(text: string): number {
  if (ASCII.test(text)) return text.length;
  let columns = 0;
  for (const { segment } of charactersOf(text)) columns += columnsOf(segment);
  return columns;
}

/** Splits a word where a line may break: around characters of scripts without spaces, such as Chinese. */
export function pieces(word: string): string[] {
  if (ASCII.test(word)) return [word];
  const parts: string[] = [];
  let narrow = false;
  for (const { segment } of charactersOf(word)) {
    const joins = narrow && width(segment) < 2;
    if (joins) parts[parts.length - 1] += segment;
    else parts.push(segment);
    narrow = width(segment) < 2;
  }
  return parts;
}

export function fit(text: string, columns: number): string {
  if (width(text) <= columns) return text;
  let start = "";
  let used = 0;
  for (const { segment } of charactersOf(text)) {
    used += columnsOf(segment);
    if (used > columns - 1) break;
    start += segment;
  }
  return `${start.trimEnd()}…`;
}
