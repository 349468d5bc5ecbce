import { BACKSLASH } from "./json-text.ts";

/** The meaning of each letter after a backslash; 0 for a letter without one. */
export const ESCAPES = new Uint8Array(256);
for (const [letter, meaning] of ['""', "\\\\", "//", "b\b", "f\f", "n\n", "r\r", "t\t"]) {
  ESCAPES[letter!.charCodeAt(0)] = meaning!.charCodeAt(0);
}

/** The value of each hexadecimal digit; -1 for other bytes. */
export const HEX_DIGITS = new Int8Array(256).fill(-1);
for (const [value, digit] of [..."0123456789abcdef"].entries()) {
  HEX_DIGITS[digit.charCodeAt(0)] = value;
  HEX_DIGITS[digit.toUpperCase().charCodeAt(0)] = value;
}

/** Writes the text in [from, to) without its escapes and returns its length; a lone surrogate becomes U+FFFD. */
export function unescape(bytes: Buffer, from: number, to: number, into: Buffer): number {
  let length = 0;
  let at = from;
  while (at < to) {
    const byte = bytes[at++]!;
    if (byte !== BACKSLASH) {
      into[length++] = byte;
      continue;
    }
    const letter = bytes[at++]!;
    if (letter !== 0x75) {
      into[length++] = ESCAPES[letter]!;
      continue;
    }
    let code = codeUnit(bytes, at);
    at += 4;
    if ((code & 0xf800) === 0xd800) {
      const isPair = code < 0xdc00 && at + 6 <= to && bytes[at] === BACKSLASH && bytes[at + 1] === 0x75;
      const low = isPair ? codeUnit(bytes, at + 2) : 0;
      if ((low & 0xfc00) === 0xdc00) {
        code = 0x1_0000 + ((code & 0x3ff) << 10) + (low & 0x3ff);
        at += 6;
      } else code = 0xfffd;
    }
    if (code < 0x80) into[length++] = code;
    else {
      if (code < 0x800) into[length++] = 0xc0 | (code >> 6);
      else {
        if (code < 0x1_0000) into[length++] = 0xe0 | (code >> 12);
        else {
          into[length++] = 0xf0 | (code >> 18);
          into[length++] = 0x80 | ((code >> 12) & 0x3f);
        }
        into[length++] = 0x80 | ((code >> 6) & 0x3f);
      }
      into[length++] = 0x80 | (code & 0x3f);
    }
  }
  return length;
}

const codeUnit = (bytes: Buffer, at: number) =>
  (HEX_DIGITS[bytes[at]!]! << 12) |
  (HEX_DIGITS[bytes[at + 1]!]! << 8) |
  (HEX_DIGITS[bytes[at + 2]!]! << 4) |
  HEX_DIGITS[bytes[at + 3]!]!;
