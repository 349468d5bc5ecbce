import type { ReviewItem, ReviewQueue } from "@svc/contract";
import { REVIEW_REASON_NAMES, REVIEW_REASONS, REVIEW_STATES } from "@svc/contract/constants";
import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Check, CircleDashed, type LucideIcon, SkipForward, Tag } from "lucide-react";
import { usePlace } from "../shell/place.ts";
import { Chip } from "../ui/chip.tsx";
import { classes } from "../ui/classes.ts";
import { EmptyByFilter } from "../ui/empty.tsx";
import { Filter, Filters } from "../ui/filter.tsx";
import { Failure, Notice } from "../ui/notice.tsx";
import { Skeleton } from "../ui/progress.tsx";
import { LoadMore, Table, tables } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { UserText } from "../ui/user-text.tsx";
import { itemPages } from "./queries.ts";
import styles from "./review.module.css";
import { leftOutWords, peopleWords, STATE_WORDS } from "./review-words.ts";

const route = getRouteApi("/o/$organizationId/p/$project/review");

export function Items({ queue }: { queue: ReviewQueue }) {
  const { state, reason } = route.useSearch();
  const navigate = route.useNavigate();
  const filters = { ...(state !== undefined && { state }), ...(reason !== undefined && { reason }) };
  const list = useInfiniteQuery(itemPages(usePlace(), filters));
  const items = list.data?.pages.flatMap((page) => page.items);
  const choose = (changed: { state?: ReviewItem["state"] | undefined; reason?: typeof reason }) =>
    void navigate({ search: (before) => ({ ...before, ...changed }), replace: true });
  return (
    <>
      {queue.leftOut > 0 && <Notice kind="warning">{leftOutWords(queue)}</Notice>}
      {!queue.enabled && <Notice>The queue is switched off: no conversation comes in.</Notice>}
      <Filters>
        <Filter
          name="State"
          options={REVIEW_STATES.map((value) => ({ value, label: STATE_WORDS[value] }))}
          value={state}
          onChange={(value) => choose({ state: REVIEW_STATES.find((each) => each === value) })}
        />
        <Filter
          name="Reason"
          options={REVIEW_REASON_NAMES.map((value) => ({ value, label: REVIEW_REASONS[value].title }))}
          value={reason}
          onChange={(value) => choose({ reason: REVIEW_REASON_NAMES.find((each) => each === value) })}
        />
      </Filters>
      {list.error && <Failure error={list.error} again={list.refetch} />}
      {items === undefined && !list.error && <Skeleton rows={6} />}
      {items?.length === 0 &&
        (state === undefined && reason === undefined ? (
          <p className={styles["muted"]}>
            No conversation has come in yet. They come in when they are graded, from now on.
          </p>
        ) : (
          <EmptyByFilter
            filters={[...(state ? [STATE_WORDS[state]] : []), ...(reason ? [REVIEW_REASONS[reason].title] : [])]}
            onClear={() => choose({ state: undefined, reason: undefined })}
          />
        ))}
      {items !== undefined && items.length > 0 && (
        <>
          <ItemsTable items={items} />
          <LoadMore
            hasMore={list.hasNextPage}
            busy={list.isFetchingNextPage}
            onClick={() => void list.fetchNextPage()}
          />
        </>
      )}
    </>
  );
}

function ItemsTable({ items }: { items: readonly ReviewItem[] }) {
  const { params } = usePlace();
  return (
    <Table
      label="Review items"
      stacked
      columns={[
        { head: "Conversation", width: "44%" },
        { head: "State", width: "34%" },
        { head: "Started", wideOnly: true, numeric: true },
        { head: "Queued", numeric: true },
      ]}
    >
      {items.map((item) => (
        <tr key={item.id}>
          <td className={tables["name"]}>
            <div className={styles["cell"]}>
              <Link to="/o/$organizationId/p/$project/review" params={params} search={{ item: item.id }}>
                {item.source === "production" ? "Conversation" : "Simulation"} of{" "}
                <UserText inline text={item.agentName ?? "an agent without a name"} />
              </Link>
              <div className={styles["muted"]}>
                {[...new Set(item.reasons.map(({ reason }) => REVIEW_REASONS[reason].title))].join(", ")}
              </div>
            </div>
          </td>
          <td>
            <div className={styles["cell"]}>
              <StateChip state={item.state} />
              <div className={styles["muted"]}>{peopleWords(item)}</div>
            </div>
          </td>
          <td className={classes(tables["num"], tables["wideOnly"], tables["faint"])}>
            <Time at={item.startedAt} />
          </td>
          <td className={classes(tables["num"], tables["faint"])}>
            <Time at={item.createdAt} />
          </td>
        </tr>
      ))}
    </Table>
  );
}

const STATES: Record<ReviewItem["state"], { tone: "quiet" | "accent" | "passed" | "plain"; icon: LucideIcon }> = {
  waiting: { tone: "plain", icon: CircleDashed },
  open: { tone: "accent", icon: Tag },
  done: { tone: "passed", icon: Check },
  skipped: { tone: "quiet", icon: SkipForward },
};

export function StateChip({ state }: { state: ReviewItem["state"] }) {
  const { tone, icon } = STATES[state];
  return (
    <Chip tone={tone} icon={icon}>
      {STATE_WORDS[state]}
    </Chip>
  );
}
