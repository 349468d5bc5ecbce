import { randomFillSync } from "node:crypto";
import type { IdPrefix } from "@svc/contract";

const CROCKFORD = "0123456789abcdefghjkmnpqrstvwxyz";
const RANDOM_BITS = 74n;
const RANDOM_LIMIT = 1n << RANDOM_BITS;

let lastMs = 0;
let lastRandom = 0n;

/**
 * Returns a new id: `prefix_` and a UUIDv7 in 26 characters of Crockford base32. Ids of one process sort in the order of their creation,
 * so they serve as keyset cursors. Ids of the same millisecond differ by 1 in their random part. After the system clock steps back, new
 * ids continue from the latest time that an id has.
 */
export function newId(prefix: IdPrefix): string {
  const nowMs = Date.now();
  if (nowMs > lastMs) {
    lastMs = nowMs;
    lastRandom = freshRandom();
  } else if (++lastRandom === RANDOM_LIMIT) {
    lastMs++;
    lastRandom = freshRandom();
  }
  return `${prefix}_${encode(uuidV7(BigInt(lastMs), lastRandom))}`;
}

/** Returns an id that depends only on the input. Such ids sort by time, then by digest. */
export const derivedId = (prefix: IdPrefix, ms: number, digest: string): string =>
  `${prefix}_${encode(uuidV7(BigInt(ms), BigInt(`0x${digest.slice(0, 20)}`) >> 6n))}`;

/** Returns the id of a shipped record. The id is the same in every project, and sorts before all ids of `newId`. */
export const shippedId = (prefix: IdPrefix, tail: string): string => `${prefix}_${tail.padStart(26, "0")}`;

function uuidV7(ms: bigint, random: bigint): bigint {
  const high = random >> 62n;
  const low = random & ((1n << 62n) - 1n);
  return (ms << 80n) | (7n << 76n) | (high << 64n) | (2n << 62n) | low;
}

/** Returns a random number in the lower half of the range, so that counting up cannot overflow within a millisecond. */
function freshRandom(): bigint {
  const bytes = randomFillSync(Buffer.alloc(10));
  return (BigInt(`0x${bytes.toString("hex")}`) & (RANDOM_LIMIT - 1n)) >> 1n;
}

function encode(value: bigint): string {
  let text = "";
  for (let shift = 125n; shift >= 0n; shift -= 5n) text += CROCKFORD[Number((value >> shift) & 31n)];
  return text;
}
