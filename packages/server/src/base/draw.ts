import { hash } from "node:crypto";

const HASH_BITS = 48;

/** Returns whether a draw of this share takes the name: always the same for a seed. A higher share adds names. */
export function isDrawn(seed: string, name: string, share: number): boolean {
  const digest = hash("sha256", `${seed} ${name}`, "buffer");
  return digest.readUIntBE(0, HASH_BITS / 8) / 2 ** HASH_BITS < share;
}
