import type { Answer, Operations } from "@svc/sdk";
import { bucketStarts } from "../periods.ts";

type Counts = Pick<Answer<Operations["metrics"]["conversations"]>, "from" | "to" | "bucket" | "series">;

/** Returns a bar for every bucket of the period, also for the empty ones. Buckets are in UTC, as the service counts them. */
export function countBars(
  { from, to, bucket, series }: Counts,
  now: Date,
): { label: string; total: number; failed: number }[] {
  const today = now.toISOString().slice(0, 10);
  const sums = new Map<string, { total: number; failed: number }>();
  for (const { startedAt, conversations, errors } of series.flatMap(({ buckets }) => buckets)) {
    const key = new Date(startedAt).toISOString();
    const sum = sums.get(key) ?? { total: 0, failed: 0 };
    sums.set(key, { total: sum.total + conversations, failed: sum.failed + errors });
  }
  return bucketStarts(from, to, bucket).map((start) => ({
    label:
      bucket === "hour" ? start.slice(11, 13) : start.startsWith(today) ? "today" : String(Number(start.slice(8, 10))),
    ...(sums.get(start) ?? { total: 0, failed: 0 }),
  }));
}
