import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { MessagesSquare } from "lucide-react";
import { useEffect, useState } from "react";
import { Page } from "../shell/page.tsx";
import { usePlace } from "../shell/place.ts";
import { sendSampleCommands } from "../sample-commands.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { Switch } from "../ui/check.tsx";
import { CopyLine } from "../ui/copy.tsx";
import { Empty, EmptyByFilter } from "../ui/empty.tsx";
import { formatCount, formatPlural } from "../ui/format.ts";
import { Failure } from "../ui/notice.tsx";
import { Skeleton } from "../ui/progress.tsx";
import { Time } from "../ui/time.tsx";
import { useKeys } from "../ui/use-keys.ts";
import { ConversationRows } from "./conversation-rows.tsx";
import styles from "./conversation-rows.module.css";
import { filterWords } from "./filter-words.ts";
import { rememberList } from "./use-neighbours.ts";
import { ListChoice } from "./list-choice.tsx";
import { ListFilters } from "./list-filters.tsx";
import { hasFilters, isNewestFirst, type ListSearch, withoutFilters } from "./list-search.ts";
import { conversationCount } from "./queries.ts";
import { SelectionBar } from "./selection-bar.tsx";
import { useCurrentRow, useList } from "./use-list.ts";
import { type OpenedView, useOpenedView } from "./use-opened-view.ts";
import { useSelection } from "./use-selection.ts";
import { Opening, SaveView, ViewTabs } from "./view-tabs.tsx";

const route = getRouteApi("/o/$organizationId/p/$project/conversations");

/** If a conversation starts this far in the future, the sender's clock is wrong; network delay cannot explain it. */
const AHEAD_MS = 60_000;

const isAhead = (startedAt: string): boolean => Date.parse(startedAt) - Date.now() > AHEAD_MS;

export function Conversations() {
  const opened = useOpenedView("conversations", route.useSearch());
  if (opened.state === "open") return <ConversationList opened={opened} />;
  return (
    <Page title="Conversations">
      <Opening {...opened} />
    </Page>
  );
}

function ConversationList({ opened }: { opened: OpenedView<ListSearch> }) {
  const { search, addressOf } = opened;
  const address = JSON.stringify(addressOf(search));
  const place = usePlace();
  const navigate = useNavigate();
  const [isLive, setLive] = useState(true);
  const { list, rows, waiting, showNew, more, isMoreFailed } = useList(search, isLive);
  const listKey = JSON.stringify(search);
  const { current, next, previous } = useCurrentRow(rows.length, listKey);
  const selection = useSelection(
    rows.map(({ traceId }) => traceId),
    listKey,
  );
  const selected = rows.filter(({ traceId }) => selection.ids.has(traceId));
  const total = useQuery({ ...conversationCount(place, search), enabled: list.isSuccess });
  useEffect(
    () => rememberList(place.projectId, { search, address: JSON.parse(address) }),
    [place.projectId, search, address],
  );
  const change = (changed: ListSearch) =>
    void navigate({ to: ".", search: addressOf(changed), replace: true, resetScroll: false });
  const open = () => {
    const traceId = current === undefined ? undefined : rows[current]?.traceId;
    if (traceId !== undefined)
      void navigate({
        to: "/o/$organizationId/p/$project/conversations/$traceId",
        params: { ...place.params, traceId },
      });
  };
  useKeys({ j: next, k: previous });
  useKeys({ Enter: open, x: () => selection.toggle(current!) }, current !== undefined);
  const newest = rows[0]?.startedAt;
  return (
    <Page
      title="Conversations"
      actions={
        <>
          <ListChoice value="conversations" search={search} />
          <span className={styles["live"]}>
            <Switch
              label={
                <span className={styles["liveText"]}>
                  Live
                  {newest !== undefined && isNewestFirst(search) && (
                    <>
                      {isAhead(newest) ? (
                        ", and the clock of a sender is ahead"
                      ) : (
                        <>
                          , newest <Time at={newest} />
                        </>
                      )}
                    </>
                  )}
                </span>
              }
              checked={isLive}
              onChange={setLive}
            />
          </span>
        </>
      }
    >
      <ViewTabs list="conversations" opened={opened} />
      <ListFilters search={search} onChange={change}>
        {opened.views.length === 0 && <SaveView list="conversations" opened={opened} />}
      </ListFilters>
      {waiting > 0 && window.scrollY > 0 && (
        <Button
          look="primary"
          small
          className={styles["pill"]}
          onClick={() => {
            showNew();
            window.scrollTo({ top: 0 });
          }}
        >
          {formatCount(waiting)}
          {waiting >= 50 ? "+" : ""} new
        </Button>
      )}
      {list.isPending ? (
        <Skeleton rows={12} />
      ) : list.isError && list.data === undefined ? (
        <Failure error={list.error} again={list.refetch} />
      ) : rows.length === 0 ? (
        hasFilters(search) ? (
          <EmptyByFilter
            filters={filterWords(search)}
            onClear={() => void navigate({ to: ".", search: withoutFilters(search), replace: true })}
          />
        ) : (
          <NoConversations />
        )
      ) : (
        <>
          <ConversationRows
            key={listKey}
            rows={rows}
            sort={search.sort}
            current={current}
            selection={selection}
            onEnd={more}
          />
          {selected.length > 0 && <SelectionBar selected={selected} onClear={selection.clear} />}
          {isMoreFailed && <Failure error={list.error} again={() => list.fetchNextPage()} />}
          <p className={styles["foot"]}>
            <Shown shown={rows.length} total={total.data} hasMore={list.hasNextPage} /> <kbd>J</kbd> <kbd>K</kbd> move,{" "}
            <kbd>↵</kbd> opens, <kbd>X</kbd> selects.
          </p>
        </>
      )}
    </Page>
  );
}

type ShownProps = {
  shown: number;
  total: { total: number | null; totalIsMore: boolean } | undefined;
  hasMore: boolean;
};

function Shown({ shown, total, hasMore }: ShownProps) {
  if (!hasMore) return `${formatPlural(shown, "conversation")}.`;
  const all = total?.total ?? null;
  const of =
    all === null ? "" : ` of ${total?.totalIsMore === true ? "more than " : ""}${formatCount(Math.max(all, shown))}`;
  return `${formatCount(shown)}${of} shown; more load as you scroll.`;
}

function NoConversations() {
  const { params, canWrite } = usePlace();
  const url = location.origin;
  return (
    <Empty
      icon={MessagesSquare}
      title="No conversations yet"
      action={
        canWrite && (
          <Link to="/o/$organizationId/p/$project/monitoring" params={params} className={buttonClass("primary")}>
            Connect a platform
          </Link>
        )
      }
    >
      <p>
        A worker sends its conversations with a key of this project.{" "}
        {canWrite ? (
          <Link to="/o/$organizationId/settings/keys" params={params}>
            Create a key
          </Link>
        ) : (
          "A member of the organization creates the key."
        )}
      </p>
      <div className={styles["lines"]}>
        <p>In the folder of svc's repository, sign a terminal in and send a recorded session:</p>
        <CopyLine text={sendSampleCommands()} />
        <p>Or let an exporter send to this address, with the key in its headers:</p>
        <CopyLine
          text={`export OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=${url}/v1/traces\nexport OTEL_EXPORTER_OTLP_TRACES_HEADERS="authorization=Bearer svc_sk_…"`}
        />
      </div>
    </Empty>
  );
}
