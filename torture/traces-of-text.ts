import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { constants, gunzipSync } from "node:zlib";

const GZIP = Buffer.from([0x1f, 0x8b, 8]);

/** Returns the forms in which a text can be in bytes: plain, base64, hexadecimal and percent-encoded. */
export const formsOf = (text: string): string[] => [
  ...new Set([
    text,
    Buffer.from(text).toString("base64").replace(/=+$/, ""),
    Buffer.from(text).toString("base64url"),
    Buffer.from(text).toString("hex"),
    encodeURIComponent(text),
  ]),
];

/** Returns whether one of the forms of the text is in the bytes. */
export const holds = (bytes: Buffer, text: string): boolean => formsOf(text).some((form) => bytes.includes(form));

/** Returns the bytes of every file below a folder; a file with compressed bodies gets their inflated content appended. */
export function bytesBelow(folder: string): { file: string; bytes: Buffer }[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      const bytes = readFileSync(path);
      return { file: relative(folder, path), bytes: Buffer.concat([bytes, ...inflatedIn(bytes)]) };
    });
}

function inflatedIn(bytes: Buffer): Buffer[] {
  const found: Buffer[] = [];
  for (let at = bytes.indexOf(GZIP); at !== -1; at = bytes.indexOf(GZIP, at + 1)) {
    try {
      found.push(gunzipSync(bytes.subarray(at), { finishFlush: constants.Z_SYNC_FLUSH }));
    } catch {
      // These three bytes begin no compressed body.
    }
  }
  return found;
}
