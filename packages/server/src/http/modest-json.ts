import { LIMITS } from "@svc/contract/constants";
import { refusalOf } from "./refusal.ts";

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/**
 * Refuses a JSON text in UTF-8 that is nested deeper or has more values than any request needs: such a text can cost many times its
 * size when it is parsed. Of a text that is no JSON it only counts the brackets and commas.
 */
export function requireModestJson(text: Buffer): void {
  let depth = 0;
  let values = 1;
  for (let at = 0; at < text.length; at++) {
    const byte = text[at]!;
    if (byte === QUOTE) at = endOfString(text, at + 1);
    else if (byte === COMMA) values++;
    else if (byte === OPEN || byte === OPEN_LIST) {
      values++;
      if (++depth > LIMITS.jsonBodyDepth) throw tooDeep();
    } else if (byte === CLOSE || byte === CLOSE_LIST) depth--;
  }
  if (values > LIMITS.jsonBodyValues) throw tooManyValues();
}

/** Returns the offset of the quote that ends a string. */
function endOfString(text: Buffer, from: number): number {
  let at = from;
  while (at < text.length && text[at] !== QUOTE) at += text[at] === BACKSLASH ? 2 : 1;
  return at;
}

const tooDeep = () => whole(`Nest the body at most ${LIMITS.jsonBodyDepth} levels deep.`);

const tooManyValues = () =>
  whole(`The body has more than ${LIMITS.jsonBodyValues.toLocaleString("en")} values. Send fewer values, or several requests.`);

const whole = (message: string) => refusalOf("unprocessable", [{ path: "", message }]);
