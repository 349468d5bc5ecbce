import { hash } from "node:crypto";

const HASH_BITS = 48;

/**
 * Draws a pseudo-random sample of the share `share` (0 to 1) of all names, and returns whether the sample contains `name`. The same seed
 * gives the same sample. With the same seed, a sample with a higher share contains all names of a sample with a lower share.
 */
export function isDrawn(seed: string, name: string, share: number): boolean {
  const digest = hash("sha256", `${seed} ${name}`, "buffer");
  return digest.readUIntBE(0, HASH_BITS / 8) / 2 ** HASH_BITS < share;
}
