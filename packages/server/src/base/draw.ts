import { hash } from "node:crypto";

const HASH_BITS = 48;

/**
 * Returns whether a random sample of this share (0 to 1) contains the name. The result is the same for the same seed. A sample with a
 * higher share contains all names of a sample with a lower one.
 */
export function isDrawn(seed: string, name: string, share: number): boolean {
  const digest = hash("sha256", `${seed} ${name}`, "buffer");
  return digest.readUIntBE(0, HASH_BITS / 8) / 2 ** HASH_BITS < share;
}
