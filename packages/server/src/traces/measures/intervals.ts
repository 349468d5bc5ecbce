import { prefixLength } from "../prefix-length.ts";

/** The end is not before the start. */
export type Interval = { startMs: number; endMs: number };

/** Merges intervals that overlap or touch. Returns them by start. */
export function union(intervals: readonly Interval[]): Interval[] {
  const merged: Interval[] = [];
  for (const { startMs, endMs } of intervals.toSorted((a, b) => a.startMs - b.startMs)) {
    const last = merged.at(-1);
    if (last === undefined || startMs > last.endMs) merged.push({ startMs, endMs });
    else if (endMs > last.endMs) last.endMs = endMs;
  }
  return merged;
}

/** Both must be results of `union`. */
export function intersection(a: readonly Interval[], b: readonly Interval[]): Interval[] {
  const common: Interval[] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    const startMs = Math.max(a[i]!.startMs, b[j]!.startMs);
    const endMs = Math.min(a[i]!.endMs, b[j]!.endMs);
    if (startMs < endMs) common.push({ startMs, endMs });
    if (a[i]!.endMs < b[j]!.endMs) i++;
    else j++;
  }
  return common;
}

/** `intervals` must be a result of `union`. */
export function gaps(intervals: readonly Interval[], within: Interval): Interval[] {
  const free: Interval[] = [];
  let fromMs = within.startMs;
  for (const { startMs, endMs } of intervals) {
    const untilMs = Math.min(startMs, within.endMs);
    if (untilMs > fromMs) free.push({ startMs: fromMs, endMs: untilMs });
    fromMs = Math.max(fromMs, endMs);
  }
  if (within.endMs > fromMs) free.push({ startMs: fromMs, endMs: within.endMs });
  return free;
}

/** The intervals must not overlap. */
export const lengthMs = (intervals: readonly Interval[]): number =>
  intervals.reduce((sum, { startMs, endMs }) => sum + (endMs - startMs), 0);

/** Times at the start or the end of the interval are not inside. */
export const timesInside = (sorted: readonly number[], { startMs, endMs }: Interval): number =>
  Math.max(0, prefixLength(sorted, (time) => time < endMs) - prefixLength(sorted, (time) => time <= startMs));

export function lastInside(sorted: readonly number[], { startMs, endMs }: Interval): number | null {
  const time = sorted[prefixLength(sorted, (time) => time < endMs) - 1];
  return time !== undefined && time > startMs ? time : null;
}
