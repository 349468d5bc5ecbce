import { MAX_DEPTH } from "./limits.ts";
import { MalformedBody } from "./malformed-body.ts";

const FROM_BYTES = 4 << 20;
const BYTES_PER_CONTAINER = 8;
// An attribute of the greatest depth: two containers a level, and those around the attribute.
const MOST_DEPTH = 2 * MAX_DEPTH + 64;

/**
 * Refuses a large body of which JSON.parse would make far more than it holds: nesting without end, or little but empty
 * objects. A small body cannot do harm.
 */
export function checkShape(bytes: Buffer): void {
  if (bytes.length < FROM_BYTES) return;
  let most = bytes.length / BYTES_PER_CONTAINER;
  let depth = 0;
  let inString = false;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]!;
    if (byte === 0x22) inString = !inString;
    else if (inString) {
      if (byte === 0x5c) i++;
    } else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > MOST_DEPTH) throw new MalformedBody(`it is nested more than ${MOST_DEPTH} deep`);
      if (--most < 0) throw new MalformedBody("it holds little but empty objects and lists");
    } else if (byte === 0x7d || byte === 0x5d) depth--;
  }
}
