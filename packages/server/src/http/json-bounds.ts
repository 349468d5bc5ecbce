const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/** Upper limits. `names` limits the number of different member names; when it is undefined, names are not counted. */
type JsonBounds = { levels: number; values: number; names?: number };

/**
 * Returns the bound that a JSON text in UTF-8 exceeds; undefined when it exceeds none. Call it before parsing: a text with many
 * levels, values or names can need many times its size as objects. The function only counts brackets, commas and names, so it also
 * accepts invalid JSON.
 */
export function exceededBound(text: Buffer, bounds: JsonBounds): keyof JsonBounds | undefined {
  const names = new Set<number>();
  let levels = 0;
  let values = 1;
  for (let at = 0; at < text.length; at++) {
    const byte = text[at]!;
    if (byte === QUOTE) {
      const end = endOfString(text, at + 1);
      if (bounds.names !== undefined && isName(text, end)) {
        if (names.add(hashOf(text, at + 1, end)).size > bounds.names) return "names";
      }
      at = end;
    } else if (byte === COMMA) values++;
    else if (byte === OPEN || byte === OPEN_LIST) {
      values++;
      if (++levels > bounds.levels) return "levels";
    } else if (byte === CLOSE || byte === CLOSE_LIST) levels--;
  }
  return values > bounds.values ? "values" : undefined;
}

function isName(text: Buffer, end: number): boolean {
  let at = end + 1;
  while (text[at]! <= SPACE) at++;
  return text[at] === COLON;
}

/** Returns the FNV-1a hash of bytes. */
function hashOf(text: Buffer, from: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let at = from; at < end; at++) hash = Math.imul(hash ^ text[at]!, 0x01000193);
  return hash;
}

function endOfString(text: Buffer, from: number): number {
  let at = from;
  while (at < text.length && text[at] !== QUOTE) at += text[at] === BACKSLASH ? 2 : 1;
  return at;
}
