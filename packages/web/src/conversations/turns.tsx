import type { ListedTurn } from "@svc/contract";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Page } from "../shell/page.tsx";
import { usePlace } from "../shell/place.ts";
import { Provenance } from "../ui/chip.tsx";
import { classes } from "../ui/classes.ts";
import { Empty, EmptyByFilter } from "../ui/empty.tsx";
import { Filter, Filters, FilterText } from "../ui/filter.tsx";
import { formatDateTime, formatMoment, formatMs, formatUtc } from "../ui/format.ts";
import { Failure } from "../ui/notice.tsx";
import { Skeleton } from "../ui/progress.tsx";
import { LoadMore, Table, tables } from "../ui/table.tsx";
import { filterWords } from "./filter-words.ts";
import filterStyles from "./list-filters.module.css";
import { INTERRUPTED, SinceFilter, slowOptions, withValue } from "./list-filters.tsx";
import { ListChoice } from "./list-choice.tsx";
import { hasFilters } from "./list-search.ts";
import { agentChoices, turnPages } from "./queries.ts";
import { cut, shownText } from "./shown-text.ts";
import { useOpenedView, type OpenedView } from "./use-opened-view.ts";
import { Opening, SaveView, ViewTabs } from "./view-tabs.tsx";
import { readTurnSearch, TURN_SORTS, type TurnSearch } from "./turn-search.ts";
import styles from "./turns.module.css";

const route = getRouteApi("/o/$organizationId/p/$project/conversations/turns");

const WORDS_CHARACTERS = 200;
const SORT_WORDS: Record<(typeof TURN_SORTS)[number], string> = {
  "-answerMs": "Slowest answer first",
  "-startedAt": "Newest first",
  startedAt: "Oldest first",
};

/** Turns of agents over all conversations, slowest answer first. */
export function Turns() {
  const opened = useOpenedView("turns", route.useSearch());
  if (opened.state === "open") return <TurnList opened={opened} />;
  return (
    <Page title="Conversations">
      <Opening {...opened} />
    </Page>
  );
}

function TurnList({ opened }: { opened: OpenedView<TurnSearch> }) {
  const { search } = opened;
  const place = usePlace();
  const navigate = useNavigate();
  const list = useInfiniteQuery(turnPages(place, search));
  const rows = list.data?.pages.flatMap(({ turns }) => turns) ?? [];
  const change = (changed: Record<string, unknown>) =>
    void navigate({
      to: ".",
      search: opened.addressOf(readTurnSearch({ ...search, ...changed })),
      replace: true,
      resetScroll: false,
    });
  const clear = () => void navigate({ to: ".", search: readTurnSearch({ sort: search.sort }), replace: true });
  return (
    <Page title="Conversations" actions={<ListChoice value="turns" search={search} />}>
      <ViewTabs list="turns" opened={opened} />
      <TurnFilters search={search} set={change}>
        {opened.views.length === 0 && <SaveView list="turns" opened={opened} />}
      </TurnFilters>
      {list.isPending ? (
        <Skeleton rows={12} />
      ) : list.isError && list.data === undefined ? (
        <Failure error={list.error} again={list.refetch} />
      ) : rows.length === 0 ? (
        hasFilters({ ...search, sort: undefined }) ? (
          <EmptyByFilter filters={filterWords({ ...search, sort: undefined })} onClear={clear} />
        ) : (
          <Empty title="No turns yet">
            <p>An agent’s turns appear here as soon as a conversation with its words has arrived.</p>
          </Empty>
        )
      ) : (
        <>
          <TurnTable rows={rows} />
          {list.isFetchNextPageError && <Failure error={list.error} again={() => list.fetchNextPage()} />}
          <LoadMore
            hasMore={list.hasNextPage}
            busy={list.isFetchingNextPage}
            onClick={() => void list.fetchNextPage()}
          />
        </>
      )}
    </Page>
  );
}

type TurnFiltersProps = {
  search: TurnSearch;
  set: (changed: Record<string, unknown>) => void;
  /** Buttons after the filters. */
  children: ReactNode;
};

function TurnFilters({ search, set, children }: TurnFiltersProps) {
  const agents = useQuery(agentChoices(usePlace()));
  return (
    <Filters>
      <Filter
        name="Source"
        options={[
          { value: "production", label: "production" },
          { value: "simulation", label: "simulation" },
        ]}
        value={search.source}
        onChange={(source) => set({ source })}
      />
      <SinceFilter search={search} onChange={(from) => set({ from })} />
      {search.to !== undefined && (
        <FilterText name="Until" value={search.to} format={(to) => formatDateTime(to)} onChange={(to) => set({ to })} />
      )}
      <Filter
        name="Agent"
        options={withValue(agents.data ?? [], search.agent)}
        value={search.agent}
        onChange={(agent) => set({ agent, withoutAgent: undefined })}
      />
      <Filter
        name="Slow"
        options={slowOptions(search.slow)}
        value={search.slow === undefined ? undefined : String(search.slow)}
        onChange={(slow) => set({ slow })}
      />
      <Filter
        name="Interrupted"
        options={INTERRUPTED}
        value={search.interrupted}
        onChange={(interrupted) => set({ interrupted })}
      />
      <FilterText name="Tool" value={search.tool} help="The exact name" onChange={(tool) => set({ tool })} />
      {(["version", "channel", "verdict", "run", "alert", "ending"] as const).map(
        (name) =>
          search[name] !== undefined && (
            <Filter
              key={name}
              name={`${name[0]!.toUpperCase()}${name.slice(1)}`}
              options={[{ value: search[name], label: search[name] }]}
              value={search[name]}
              onChange={(value) => set({ [name]: value })}
            />
          ),
      )}
      {children}
      <select
        className={filterStyles["sort"]}
        aria-label="Order"
        value={search.sort ?? "-answerMs"}
        onChange={({ target }) => set({ sort: target.value === "-answerMs" ? undefined : target.value })}
      >
        {TURN_SORTS.map((sort) => (
          <option key={sort} value={sort}>
            {SORT_WORDS[sort]}
          </option>
        ))}
      </select>
    </Filters>
  );
}

const TurnTable = ({ rows }: { rows: readonly ListedTurn[] }) => (
  <Table
    label="Turns"
    stacked
    columns={[
      { head: "Started", width: "9rem" },
      { head: "Agent", width: "10rem", wideOnly: true },
      { head: "Caller and agent" },
      { head: "Tools", width: "10rem", wideOnly: true },
      { head: "Time to answer", numeric: true, width: "8rem" },
    ]}
  >
    {rows.map((turn) => (
      <TurnRow key={`${turn.traceId} ${turn.index}`} turn={turn} />
    ))}
  </Table>
);

function TurnRow({ turn }: { turn: ListedTurn }) {
  const { params } = usePlace();
  const { traceId, index, startedAt, source, agentName, userText, agentText, answerMs, provenance } = turn;
  return (
    <tr>
      <td className={tables["faint"]} title={formatUtc(startedAt)}>
        {formatMoment(startedAt)}
      </td>
      <td className={classes(tables["wideOnly"], tables["clip"])}>
        <bdi>{agentName === null ? "no name" : cut(shownText(agentName), 80)}</bdi>
        <span className={styles["second"]}>{source}</span>
      </td>
      <td className={styles["words"]}>
        {userText !== null && (
          <span className={styles["caller"]}>
            <bdi>{cut(shownText(userText), WORDS_CHARACTERS)}</bdi>
          </span>
        )}
        <Link
          className={styles["answer"]}
          to="/o/$organizationId/p/$project/conversations/$traceId"
          params={{ ...params, traceId }}
          search={{ turn: index }}
        >
          <bdi>{agentText === null ? "words not known" : cut(shownText(agentText), WORDS_CHARACTERS)}</bdi>
        </Link>
        {turn.interrupted === true && <span className={styles["second"]}>cut short by the caller</span>}
      </td>
      <td className={classes(tables["wideOnly"], styles["tools"])}>
        {turn.tools.map((tool) => (
          <code key={tool}>
            <bdi>{cut(shownText(tool), 60)}</bdi>
          </code>
        ))}
        {turn.toolFailed === true && <span className={styles["failed"]}>a call failed</span>}
      </td>
      <td className={tables["num"]}>
        {answerMs === null ? "–" : formatMs(answerMs)}
        {provenance !== null && (
          <span className={styles["second"]}>
            <Provenance provenance={provenance} />
          </span>
        )}
      </td>
    </tr>
  );
}
