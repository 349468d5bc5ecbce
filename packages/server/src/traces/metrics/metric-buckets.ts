import { LIMITS } from "@svc/contract/constants";
import type { MetricsPeriod } from "./metric-rules.ts";
import { utcOf, type ZoneOffset } from "./zone-offsets.ts";

/** Today, the buckets of every time zone start and end at whole quarters. */
export const QUARTER_MS = 900_000;

export const areWhole = (offsets: readonly ZoneOffset[], lengthMs: number): boolean =>
  offsets.every(({ beforeMs, offsetMs }) => [beforeMs, offsetMs].every((ms) => ms === Infinity || ms % lengthMs === 0));

/** Largest number of rows. Each group has one row for each bucket and one row for the whole period, so up to two rows per point. */
export const ROWS_MAX = 2 * LIMITS.metricPoints;

export const areTooMany = (rows: readonly { start: number | null }[]): boolean =>
  rows.length > ROWS_MAX || rows.filter(({ start }) => start !== null).length > LIMITS.metricPoints;

/**
 * Returns SQL for the start, in local time, of the bucket that contains the UTC time `timeMs`. `divide` returns the SQL of the engine's
 * integer division.
 */
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

/** Null for the whole period. */
export function utcStart(start: number | null, { offsets }: MetricsPeriod): number | null {
  return start === null || offsets === undefined ? start : utcOf(offsets, start);
}
