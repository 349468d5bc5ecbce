import { patternOf, type Pattern } from "../../pattern/pattern.ts";

type Taken<Value> = { value: Value; rest: string };

const QUOTES: Record<string, string> = { '"': '"', "'": "'", "“": "”", "‘": "’", "«": "»" };

/** Reads a quoted text at the beginning of a text. The quoted text cannot contain its closing quote. */
export function takeQuoted(text: string): Taken<string> | undefined {
  const closing = QUOTES[text[0] ?? ""];
  const end = closing === undefined ? -1 : text.indexOf(closing, 1);
  if (end < 0 || text.slice(1, end).trim() === "") return undefined;
  return { value: text.slice(1, end), rest: text.slice(end + 1) };
}

/** Returns the problem of a quote that is not closed. Returns undefined for an apostrophe, because it opens no quote. */
export const openQuote = (text: string): { problem: string } | undefined =>
  /^["“«]/.test(text)
    ? {
        problem: `The quote ${text[0]!} does not close, or is empty. Write the words between two quotes, like "recorded line".`,
      }
    : undefined;

export function takePattern(text: string): Taken<Pattern | { problem: string }> | undefined {
  if (text[0] !== "/") return undefined;
  let inClass = false;
  for (let at = 1; at < text.length; at++) {
    const sign = text[at]!;
    if (sign === "\\") at++;
    else if (sign === "[") inClass = true;
    else if (sign === "]") inClass = false;
    else if (sign === "/" && !inClass && at > 1) {
      const flags = /^[a-z]*/i.exec(text.slice(at + 1))![0];
      return { value: patternOf(text.slice(1, at), flags), rest: text.slice(at + 1 + flags.length) };
    }
  }
  return undefined;
}

export function takeJson(text: string): Taken<unknown> | undefined {
  if (text[0] !== "{" && text[0] !== "[") return undefined;
  let depth = 0;
  let inText = false;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at]!;
    if (inText && sign === "\\") at++;
    else if (sign === '"') inText = !inText;
    else if (!inText && (sign === "{" || sign === "[")) depth++;
    else if (!inText && (sign === "}" || sign === "]") && --depth === 0) {
      const value = parseJson(text.slice(0, at + 1));
      return value && { ...value, rest: text.slice(at + 1) };
    }
  }
  return undefined;
}

/** Matches numbers with so many digits that a JavaScript number would lose the last ones. */
const LONG_NUMBER = /(?<!["\w.])-?\d[\d.]{15,}(?!["\w])/;

function parseJson(json: string): { value: unknown } | undefined {
  if (LONG_NUMBER.test(json)) return undefined;
  try {
    return { value: JSON.parse(json) };
  } catch {
    return undefined;
  }
}
