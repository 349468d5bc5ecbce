const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN = 0x7b;
const CLOSE = 0x7d;

type JsonBounds = { levels: number; values: number };

/**
 * Returns the bound that a JSON text in UTF-8 exceeds, before the text is parsed: a text of many levels or values can cost many times
 * its size then. It only counts brackets and commas, also in a text that is no JSON.
 */
export function exceededBound(text: Buffer, bounds: JsonBounds): keyof JsonBounds | undefined {
  let levels = 0;
  let values = 1;
  for (let at = 0; at < text.length; at++) {
    const byte = text[at]!;
    if (byte === QUOTE) at = endOfString(text, at + 1);
    else if (byte === COMMA) values++;
    else if (byte === OPEN || byte === OPEN_LIST) {
      values++;
      if (++levels > bounds.levels) return "levels";
    } else if (byte === CLOSE || byte === CLOSE_LIST) levels--;
  }
  return values > bounds.values ? "values" : undefined;
}

/** Returns the offset of the quote that ends a string. */
function endOfString(text: Buffer, from: number): number {
  let at = from;
  while (at < text.length && text[at] !== QUOTE) at += text[at] === BACKSLASH ? 2 : 1;
  return at;
}
