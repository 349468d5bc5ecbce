import type { Answer, Operations } from "@svc/sdk";
import { Link } from "@tanstack/react-router";
import { usePlace } from "../shell/place.ts";
import { Card } from "../ui/card.tsx";
import { type DayBar, DayBars } from "../ui/small-plots.tsx";
import { formatCount } from "../ui/format.ts";
import styles from "./conversations-card.module.css";
import { bucketOf, bucketStarts, formatBucket, type Period, wordsOf } from "../periods.ts";

type CountsOf = Answer<Operations["metrics"]["conversations"]>;

export function ConversationsCard({ period, counts }: { period: Period; counts: CountsOf }) {
  const { params } = usePlace();
  const bucket = bucketOf(period);
  const bars = countBars(counts, new Date());
  return (
    <Card
      title="Conversations"
      action={
        <Link to="/o/$organizationId/p/$project/conversations" params={params}>
          All
        </Link>
      }
    >
      <p className={styles["figures"]}>
        {bucket === "day" && (
          <span>
            <b>{formatCount(bars.at(-1)?.total ?? 0)}</b> today
          </span>
        )}
        <span>
          <b>{formatCount(counts.conversations)}</b> in {wordsOf(period)}
        </span>
      </p>
      <DayBars
        bars={bars}
        label={`Conversations per ${bucket}, those with errors marked`}
        legend={["with an error", "without"]}
      />
    </Card>
  );
}

type Counts = Pick<Answer<Operations["metrics"]["conversations"]>, "from" | "to" | "bucket" | "series">;

/** A bucket without conversations has a bar too. */
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
