import type { ReviewQueue } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { ClipboardCheck } from "lucide-react";
import { Page } from "../shell/page.tsx";
import { usePlace } from "../shell/place.ts";
import { Button } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { Failure } from "../ui/notice.tsx";
import { Skeleton } from "../ui/progress.tsx";
import { Segmented } from "../ui/segmented.tsx";
import { Items } from "./items.tsx";
import { Labeling } from "./labeling.tsx";
import { queueQuery, useConfigure } from "./queries.ts";
import { QueueSettings } from "./queue-settings.tsx";
import styles from "./review.module.css";

const route = getRouteApi("/o/$organizationId/p/$project/review");

type View = "label" | "items" | "settings";

const VIEWS: { value: View; label: string }[] = [
  { value: "label", label: "Queue" },
  { value: "items", label: "All items" },
  { value: "settings", label: "Settings" },
];

export function Review() {
  const place = usePlace();
  const { view: chosen, item } = route.useSearch();
  const navigate = route.useNavigate();
  const { data: queue, error, refetch } = useQuery(queueQuery(place));
  // A viewer cannot label. For a viewer, the label view opens only if the address names an item.
  const view: View = chosen ?? (place.canWrite || item !== undefined ? "label" : "items");
  const shown = place.canWrite ? VIEWS : VIEWS.filter(({ value }) => value !== "label" || item !== undefined);
  const isNew = queue !== undefined && !queue.enabled && countOf(queue) === 0;
  const isLabeling = view === "label" && queue !== undefined && !isNew;
  return (
    <Page
      title="Review"
      actions={
        queue !== undefined &&
        !(isNew && view !== "settings") && (
          <Segmented
            label="View"
            options={shown}
            value={view}
            onChange={(next) => void navigate({ search: { view: next === "label" ? undefined : next } })}
          />
        )
      }
      full={isLabeling}
    >
      {error && <Failure error={error} again={refetch} />}
      {queue === undefined ? (
        !error && <Skeleton rows={8} />
      ) : view === "settings" ? (
        <QueueSettings queue={queue} />
      ) : isNew ? (
        <NotYet />
      ) : view === "items" ? (
        <Items queue={queue} />
      ) : (
        <Labeling queue={queue} />
      )}
    </Page>
  );
}

const countOf = ({ counts: { waiting, open, done, skipped } }: ReviewQueue): number => waiting + open + done + skipped;

function NotYet() {
  const { canWrite } = usePlace();
  const navigate = route.useNavigate();
  const configure = useConfigure();
  return (
    <>
      {configure.error && <Failure error={configure.error} />}
      <Empty
        icon={ClipboardCheck}
        title="Find out whether the judge is right"
        action={
          canWrite ? (
            <span className={styles["buttons"]}>
              <Button look="primary" busy={configure.isPending} onClick={() => configure.mutate({ enabled: true })}>
                Turn on the queue
              </Button>
              <Button onClick={() => void navigate({ search: { view: "settings" } })}>Choose what comes in</Button>
            </span>
          ) : undefined
        }
      >
        <p>
          The queue collects conversations for people to label: a few by chance, those about which the judge is in
          doubt, and those of alerts. The labels show how often a grader is right.
        </p>
        {!canWrite && <p>It is switched off. A member of the organization can turn it on.</p>}
      </Empty>
    </>
  );
}
