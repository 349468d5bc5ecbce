import { prefixLength } from "../prefix-length.ts";

/** A period of time. The end is not before the start. */
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

/** Returns the time that is in both `a` and `b`. Both must be results of `union`. */
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

/** Returns the time in `within` that no interval covers. `intervals` must be a result of `union`. */
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

/** Returns the total length of intervals that do not overlap. */
export const lengthMs = (intervals: readonly Interval[]): number =>
  intervals.reduce((sum, { startMs, endMs }) => sum + (endMs - startMs), 0);

/** Returns how many times in `sorted` are after the start and before the end of the interval. */
export const timesInside = (sorted: readonly number[], { startMs, endMs }: Interval): number =>
  Math.max(0, prefixLength(sorted, (time) => time < endMs) - prefixLength(sorted, (time) => time <= startMs));

/** Returns the last time in `sorted` that is after the start and before the end of the interval. */
export function lastInside(sorted: readonly number[], { startMs, endMs }: Interval): number | null {
  const time = sorted[prefixLength(sorted, (time) => time < endMs) - 1];
  return time !== undefined && time > startMs ? time : null;
}
