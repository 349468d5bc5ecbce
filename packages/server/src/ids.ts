import { randomFillSync } from "node:crypto";
import type { IdPrefix } from "@svc/contract";

const CROCKFORD = "0123456789abcdefghjkmnpqrstvwxyz";
const RANDOM_BITS = 74n;
const RANDOM_LIMIT = 1n << RANDOM_BITS;

let lastMs = 0;
let lastRandom = 0n;

/**
 * `prefix_` and 26 characters: a UUIDv7 in Crockford base32. Within a millisecond the random part counts up, and a clock
 * that steps back is held, so that id order is mint order and an id can be a keyset cursor.
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

/** The id of what ships with the service: the same in every project, and before all that are minted. */
export const shippedId = (prefix: IdPrefix, tail: string): string => `${prefix}_${tail.padStart(26, "0")}`;

function uuidV7(ms: bigint, random: bigint): bigint {
  const high = random >> 62n;
  const low = random & ((1n << 62n) - 1n);
  return (ms << 80n) | (7n << 76n) | (high << 64n) | (2n << 62n) | low;
}

/** Half of the range stays free above, so that counting up never ends within a millisecond. */
function freshRandom(): bigint {
  const bytes = randomFillSync(Buffer.alloc(10));
  return (BigInt(`0x${bytes.toString("hex")}`) & (RANDOM_LIMIT - 1n)) >> 1n;
}

function encode(value: bigint): string {
  let text = "";
  for (let shift = 125n; shift >= 0n; shift -= 5n) text += CROCKFORD[Number((value >> shift) & 31n)];
  return text;
}
