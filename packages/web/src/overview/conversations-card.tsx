import type { Answer, Operations } from "@svc/sdk";
import { Link } from "@tanstack/react-router";
import { usePlace } from "../shell/place.ts";
import { Card } from "../ui/card.tsx";
import { type DayBar, DayBars } from "../ui/small-plots.tsx";
import { formatCount, formatPlural } from "../ui/format.ts";
import styles from "./conversations-card.module.css";
import { bucketOf, bucketStarts, formatBucket, type Period, wordsOf } from "../periods.ts";

type CountsOf = Answer<Operations["metrics"]["conversations"]>;

/** The bars and the figures count production. Simulations are a number of their own. */
export function ConversationsCard({ period, counts }: { period: Period; counts: CountsOf }) {
  const { params } = usePlace();
  const bucket = bucketOf(period);
  const bars = countBars(counts, new Date());
  const simulations = countOf(counts, "simulation");
  return (
    <Card
      title="Conversations in production"
      action={
        <Link to="/o/$organizationId/p/$project/conversations" params={params} search={{ source: "production" }}>
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
          <b>{formatCount(countOf(counts, "production"))}</b> in {wordsOf(period)}
        </span>
      </p>
      <DayBars
        bars={bars}
        label={`Conversations in production per ${bucket}, those with errors marked`}
        legend={["with an error", "without"]}
      />
      {simulations > 0 && (
        <p className={styles["simulations"]}>
          <Link to="/o/$organizationId/p/$project/conversations" params={params} search={{ source: "simulation" }}>
            {formatPlural(simulations, "simulation")}
          </Link>{" "}
          in {wordsOf(period)} {simulations === 1 ? "is" : "are"} not counted here.
        </p>
      )}
    </Card>
  );
}

export const countOf = ({ series }: Pick<Counts, "series">, source: "production" | "simulation"): number =>
  series.filter((each) => each.source === source).reduce((sum, { conversations }) => sum + conversations, 0);

type Counts = Pick<Answer<Operations["metrics"]["conversations"]>, "from" | "to" | "bucket" | "series">;

/** Returns the bars of production. A bucket without conversations has a bar too. */
export function countBars({ from, to, bucket, series }: Counts, now: Date): DayBar[] {
  const today = now.toDateString();
  const sums = new Map<number, { total: number; failed: number }>();
  const production = series.filter(({ source }) => source === "production");
  for (const { startedAt, conversations, errors } of production.flatMap(({ buckets }) => buckets)) {
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
