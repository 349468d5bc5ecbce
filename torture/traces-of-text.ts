import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { inflateRawSync } from "node:zlib";

/** The first bytes of a gzip header without a file name, which exporters send. */
const GZIP = Buffer.from([0x1f, 0x8b, 8, 0]);
const GZIP_HEADER_BYTES = 10;
const INFLATED_BYTES_MAX = 64 * 2 ** 20;

/** Returns the forms in which bytes can contain a text: plain, base64, hexadecimal and percent-encoded. */
const formsOf = (text: string): string[] => [
  ...new Set([
    text,
    ...base64FormsOf(text, "base64"),
    ...base64FormsOf(text, "base64url"),
    Buffer.from(text).toString("hex"),
    encodeURIComponent(text),
  ]),
];

/** Returns the part of the text's base64 form that does not depend on the bytes around it, after 0, 1 and 2 other bytes. */
function base64FormsOf(text: string, encoding: "base64" | "base64url"): string[] {
  return [0, 1, 2].map((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(text)]);
    const [first, end] = [Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6)];
    return bytes.toString(encoding).slice(first, end);
  });
}

/** Returns whether the bytes contain one of the forms of the text. */
export const holds = (bytes: Buffer, text: string): boolean => formsOf(text).some((form) => bytes.includes(form));

/** Returns the bytes of every file below a folder. If a file has compressed bodies, their decompressed content is appended. */
export function bytesBelow(folder: string): { file: string; bytes: Buffer }[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      const bytes = readFileSync(path);
      return { file: relative(folder, path), bytes: Buffer.concat([bytes, ...inflatedIn(bytes)]) };
    });
}

// The raw decompressor stops at the end of a body. The gzip decompressor would fail at the record that follows the body.
function inflatedIn(bytes: Buffer): Buffer[] {
  const found: Buffer[] = [];
  for (let at = bytes.indexOf(GZIP); at !== -1; at = bytes.indexOf(GZIP, at + 1)) {
    try {
      found.push(inflateRawSync(bytes.subarray(at + GZIP_HEADER_BYTES), { maxOutputLength: INFLATED_BYTES_MAX }));
    } catch {
      // No compressed body begins at this place.
    }
  }
  return found;
}
