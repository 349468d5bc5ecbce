import { MAX_DEPTH } from "./limits.ts";
import { MalformedBody } from "./malformed-body.ts";

const FROM_BYTES = 4 << 20;
const BYTES_PER_CONTAINER = 8;
// The nesting of an attribute of the maximum depth: two containers for each level, and the containers around the
// attribute.
const DEPTH_MAX = 2 * MAX_DEPTH + 64;

/**
 * Refuses a large body that JSON.parse would turn into many times its size: deep nesting, or mostly empty objects. Small
 * bodies are harmless and pass.
 */
export function checkShape(bytes: Buffer): void {
  if (bytes.length < FROM_BYTES) return;
  let containersLeft = bytes.length / BYTES_PER_CONTAINER;
  let depth = 0;
  let inString = false;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]!;
    if (byte === 0x22) inString = !inString;
    else if (inString) {
      if (byte === 0x5c) i++;
    } else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > DEPTH_MAX) throw new MalformedBody(`it is nested more than ${DEPTH_MAX} deep`);
      if (--containersLeft < 0) throw new MalformedBody("it consists mostly of empty objects and lists");
    } else if (byte === 0x7d || byte === 0x5d) depth--;
  }
}
