import { sha256 } from "./secrets.ts";

/** Numbers in [0, 1) that the seed alone decides (mulberry32). */
export function seeded(seed: string): () => number {
  let state = Number.parseInt(sha256(seed).slice(0, 8), 16);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export const picker =
  (random: () => number) =>
  <T>(choices: readonly T[]): T =>
    choices[Math.floor(random() * choices.length)]!;
