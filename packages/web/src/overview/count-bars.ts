import type { Answer, Operations } from "@svc/sdk";
import { bucketStarts, formatBucket } from "../periods.ts";
import type { DayBar } from "../ui/day-bars.tsx";

type Counts = Pick<Answer<Operations["metrics"]["conversations"]>, "from" | "to" | "bucket" | "series">;

/** Returns a bar for every bucket of the period, also for the empty ones. */
export function countBars({ from, to, bucket, series }: Counts, now: Date): DayBar[] {
  const today = now.toDateString();
  const sums = new Map<number, { total: number; failed: number }>();
  for (const { startedAt, conversations, errors } of series.flatMap(({ buckets }) => buckets)) {
    const key = Date.parse(startedAt);
    const sum = sums.get(key) ?? { total: 0, failed: 0 };
    sums.set(key, { total: sum.total + conversations, failed: sum.failed + errors });
  }
  const labelOf = (start: number) => {
    if (bucket === "hour") return formatBucket(start, bucket).slice(0, 2);
    return new Date(start).toDateString() === today ? "today" : String(new Date(start).getDate());
  };
  return bucketStarts(from, to, bucket).map((start) => ({
    label: labelOf(start),
    ...(sums.get(start) ?? { total: 0, failed: 0 }),
  }));
}
