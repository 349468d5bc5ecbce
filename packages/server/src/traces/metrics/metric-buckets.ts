import { LIMITS } from "@svc/contract/constants";
import type { MetricsPeriod } from "./metric-rules.ts";
import { utcOf, type ZoneOffset } from "./zone-offsets.ts";

/** The length of a quarter of an hour. The buckets of every time zone of today are made of whole ones. */
export const QUARTER_MS = 900_000;

/** Returns whether the offsets and the moments of their changes are multiples of a length of time. */
export const areWhole = (offsets: readonly ZoneOffset[], lengthMs: number): boolean =>
  offsets.every(({ beforeMs, offsetMs }) => [beforeMs, offsetMs].every((ms) => ms === Infinity || ms % lengthMs === 0));

/** Each group has a row for the whole period and one for each of its buckets. */
export const ROWS_MAX = 2 * LIMITS.metricPoints;

export const areTooMany = (rows: readonly { start: number | null }[]): boolean =>
  rows.length > ROWS_MAX || rows.filter(({ start }) => start !== null).length > LIMITS.metricPoints;

/** Returns the start of the bucket of a moment, both in local time, in the SQL of every engine. `divide` returns a whole quotient. */
export const bucketOf = (
  timeMs: string,
  { bucketMs, offsets }: MetricsPeriod,
  divide: (value: string, by: number) => string,
): string => `${divide(localMs(timeMs, offsets), bucketMs)} * ${bucketMs}`;

function localMs(timeMs: string, offsets: MetricsPeriod["offsets"]): string {
  if (offsets === undefined) return timeMs;
  const cases = offsets.map(({ beforeMs, offsetMs }) =>
    beforeMs === Number.POSITIVE_INFINITY ? `ELSE ${offsetMs}` : `WHEN ${timeMs} < ${beforeMs} THEN ${offsetMs}`,
  );
  const offset = cases.length === 1 ? `${offsets[0]!.offsetMs}` : `CASE ${cases.join(" ")} END`;
  return `(${timeMs} + ${offset})`;
}

/** Returns the moment at which a bucket starts, from its start in local time; null for the whole period. */
export function utcStart(start: number | null, { offsets }: MetricsPeriod): number | null {
  return start === null || offsets === undefined ? start : utcOf(offsets, start);
}
