import type { Answer, Operations } from "@svc/sdk";
import { Link } from "@tanstack/react-router";
import { usePlace } from "../frame/place.ts";
import { Card } from "../ui/card.tsx";
import { DayBars } from "../ui/day-bars.tsx";
import { formatCount } from "../ui/format.ts";
import { countBars } from "./count-bars.ts";
import styles from "./conversations-card.module.css";
import { bucketOf, type Period, wordsOf } from "../periods.ts";

type Counts = Answer<Operations["metrics"]["conversations"]>;

/** The number of conversations in the period and in each of its days or hours, with those that had a failed span. */
export function ConversationsCard({ period, counts }: { period: Period; counts: Counts }) {
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
        legend={["with a failed span", "without"]}
      />
    </Card>
  );
}
