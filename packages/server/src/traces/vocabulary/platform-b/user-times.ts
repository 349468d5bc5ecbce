import { prefixLength } from "../../prefix-length.ts";
import type { StoredSpan } from "../../stored-span.ts";
import type { NodesByName } from "./nodes-by-name.ts";

const SAME_TIME_NS = 100_000_000n;

/**
 * Returns false when the times of the user's speech are those of the model's generations. Some speech-to-speech models, such as Gemini
 * Live, do not report when the user speaks. Their plugins report the start and the end of each generation as the start and the end of the
 * user's speech.
 */
export function areUserTimesKnown(named: NodesByName): boolean {
  const generations = spansOf(named, "realtime_inference");
  const spoken = spansOf(named, "user_speaking");
  const mirrored = spoken.filter((period) => {
    const next = prefixLength(generations, ({ startNs }) => startNs < period.startNs);
    return generations.slice(Math.max(0, next - 1), next + 1).some((generation) => isSamePeriod(generation, period));
  });
  return mirrored.length === 0 || mirrored.length * 2 < spoken.length;
}

const spansOf = (named: NodesByName, name: string): StoredSpan[] =>
  named(name)
    .map(({ span }) => span)
    .sort((a, b) => (a.startNs < b.startNs ? -1 : a.startNs > b.startNs ? 1 : 0));

const isSamePeriod = (a: StoredSpan, b: StoredSpan): boolean =>
  isSameTime(a.startNs, b.startNs) && a.endNs !== null && b.endNs !== null && isSameTime(a.endNs, b.endNs);

const isSameTime = (a: bigint, b: bigint): boolean => a - b < SAME_TIME_NS && b - a < SAME_TIME_NS;
