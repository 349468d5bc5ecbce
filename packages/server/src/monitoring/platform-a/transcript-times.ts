import type { TranscriptItem } from "./call.ts";

const LONGEST_SECONDS = 24 * 3600;

type Word = [word: string | null, start: number | null, end: number | null];

/** Time of an item of a transcript. `startNs` and `endNs` are estimates unless `isKnown` is true. */
export type ItemTime = { startNs: bigint; endNs: bigint; isKnown: boolean };

/**
 * Returns the times of the items of a transcript. Each item starts later than the item before it. An item without a time gets an estimate
 * between the items before and after it.
 */
export function itemTimes(items: readonly TranscriptItem[], callStartMs: number): ItemTime[] {
  const callStartNs = BigInt(callStartMs) * 1_000_000n;
  const times = items.map(secondsOf);
  const nextStart: (number | undefined)[] = Array.from({ length: items.length });
  for (let at = items.length - 2; at >= 0; at--) nextStart[at] = times[at + 1]?.start ?? nextStart[at + 1];

  let beforeNs = callStartNs - 1n;
  let lastEnd = 0;
  return times.map((time, at) => {
    const start = time?.start ?? Math.min(lastEnd, nextStart[at] ?? lastEnd);
    lastEnd = time?.end ?? lastEnd;
    const startNs = later(callStartNs + nanoseconds(start), beforeNs + 1n);
    beforeNs = startNs;
    const endNs = time === undefined ? startNs : later(callStartNs + nanoseconds(time.end), startNs);
    return { startNs, endNs, isKnown: time !== undefined };
  });
}

export const wordsOf = ({ words }: TranscriptItem): Word[] =>
  words.map((word) => {
    const { word: text, start, end } = (word ?? {}) as Record<string, unknown>;
    return [typeof text === "string" ? text : null, timeOf(start), timeOf(end)];
  });

function secondsOf(item: TranscriptItem): { start: number; end: number } | undefined {
  const words = wordsOf(item);
  const start = words.find(([, start]) => start !== null)?.[1] ?? timeOf(item["time_sec"]);
  if (start === null) return undefined;
  return { start, end: words.reduce((last, [, , end]) => Math.max(last, end ?? last), start) };
}

const timeOf = (value: unknown): number | null =>
  typeof value === "number" && value >= 0 && value <= LONGEST_SECONDS ? value : null;

const nanoseconds = (seconds: number): bigint => BigInt(Math.round(seconds * 1e6)) * 1000n;

const later = (a: bigint, b: bigint): bigint => (a > b ? a : b);
