import { createHash } from "node:crypto";
import { random } from "../test/support/livekit-request.ts";

/** A generator of random values. The same seed and the same order of calls give the same values. */
export type Draws = {
  /** Returns a number in [0, 1). */
  next: () => number;
  /** Returns an integer from `low` to `high`, both included. */
  whole: (low: number, high: number) => number;
  pick: <T>(items: readonly T[]) => T;
  shuffled: <T>(items: readonly T[]) => T[];
  /** Returns a text of hexadecimal digits. */
  hex: (digits: number) => string;
  bytes: (count: number) => Buffer;
  /** Returns a generator that depends only on the seed and on this name. */
  named: (name: string) => Draws;
};

export function drawsOf(seed: string): Draws {
  const next = random(createHash("sha256").update(seed).digest().readUInt32LE(0));
  const whole = (low: number, high: number) => low + Math.floor(next() * (high - low + 1));
  const bytes = (count: number) => Buffer.from(Array.from({ length: count }, () => whole(0, 255)));
  return {
    next,
    whole,
    pick: (items) => items[whole(0, items.length - 1)]!,
    shuffled: (items) =>
      items
        .map((item) => ({ item, at: next() }))
        .sort((a, b) => a.at - b.at)
        .map(({ item }) => item),
    hex: (digits) =>
      bytes(Math.ceil(digits / 2))
        .toString("hex")
        .slice(0, digits),
    bytes,
    named: (name) => drawsOf(`${seed}/${name}`),
  };
}

/** Returns a text in the form of an API key. */
export const keyFrom = (draws: Draws): string => `svc_sk_${draws.bytes(32).toString("base64url")}`;
