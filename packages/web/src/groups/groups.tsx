import type { FailureGroup } from "@svc/contract";
import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Layers } from "lucide-react";
import { Page } from "../shell/page.tsx";
import { usePlace } from "../shell/place.ts";
import { classes } from "../ui/classes.ts";
import { Empty, EmptyByFilter } from "../ui/empty.tsx";
import { Filter, Filters } from "../ui/filter.tsx";
import { formatCount, formatPlural } from "../ui/format.ts";
import { Failure } from "../ui/notice.tsx";
import { Skeleton } from "../ui/progress.tsx";
import { LoadMore, Table, tables } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { UserText } from "../ui/user-text.tsx";
import widths from "../ui/widths.module.css";
import { agentsWords, type GroupsSearch, titleOf } from "./group-words.ts";
import { StateChip, Trend } from "./group-parts.tsx";
import styles from "./groups.module.css";
import { groupPages } from "./queries.ts";

const route = getRouteApi("/o/$organizationId/p/$project/groups");

const STATE_OPTIONS = [
  { value: "open", label: "Open" },
  { value: "resolved", label: "Resolved" },
  { value: "ignored", label: "Ignored" },
];
const SOURCE_OPTIONS = [
  { value: "production", label: "Production" },
  { value: "simulation", label: "Simulations" },
];
const SORT_OPTIONS = [
  { value: "last_seen", label: "Last seen" },
  { value: "size", label: "Size" },
];

export function Groups() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const list = useInfiniteQuery(groupPages(usePlace(), search));
  const groups = list.data?.pages.flatMap((page) => page.groups);
  const { sort: _, ...filters } = search;
  const filterWords = Object.entries(filters).flatMap(([name, value]) =>
    value === undefined ? [] : `${name} ${value}`,
  );
  const isFiltered = filterWords.length > 0;
  const change = (next: GroupsSearch) => void navigate({ search: next, replace: true });

  return (
    <Page title="Failure groups">
      {(isFiltered || (groups !== undefined && groups.length > 0)) && (
        <GroupFilters search={search} groups={groups ?? []} onChange={change} />
      )}
      {list.error && <Failure error={list.error} again={list.refetch} />}
      {groups === undefined && !list.error && <Skeleton rows={8} />}
      {groups?.length === 0 && !isFiltered && (
        <Empty icon={Layers} title="See what fails again and again">
          <p>
            A group comes about by itself when a simulation fails, or when a grader that counts decides against a
            production conversation. It has the conversations in which the same thing failed with similar words.
          </p>
        </Empty>
      )}
      {groups?.length === 0 && isFiltered && (
        <EmptyByFilter filters={filterWords} onClear={() => change({ sort: search.sort })} />
      )}
      {groups !== undefined && groups.length > 0 && (
        <>
          <GroupsTable groups={groups} />
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

type GroupFiltersProps = {
  search: GroupsSearch;
  groups: readonly FailureGroup[];
  onChange: (search: GroupsSearch) => void;
};

function GroupFilters({ search, groups, onChange }: GroupFiltersProps) {
  const set = (changed: Partial<Record<keyof GroupsSearch, string | undefined>>) =>
    onChange({ ...search, ...changed } as GroupsSearch);
  const agents = [...groups.flatMap(({ agentNames }) => agentNames), search.agent ?? null];
  const options = [...new Set(agents)].flatMap((name) => (name === null ? [] : [{ value: name, label: name }]));
  return (
    <Filters>
      <Filter name="State" options={STATE_OPTIONS} value={search.state} onChange={(state) => set({ state })} />
      {options.length > 0 && (
        <Filter name="Agent" options={options} value={search.agent} onChange={(agent) => set({ agent })} />
      )}
      <Filter name="Source" options={SOURCE_OPTIONS} value={search.source} onChange={(source) => set({ source })} />
      <Filter name="Sort" options={SORT_OPTIONS} value={search.sort} onChange={(sort) => set({ sort })} />
    </Filters>
  );
}

function GroupsTable({ groups }: { groups: readonly FailureGroup[] }) {
  const { params } = usePlace();
  return (
    <Table
      label="Failure groups"
      stacked
      columns={[
        { head: "Failure", width: "46%" },
        { head: "State" },
        { head: "14 days", wideOnly: true },
        { head: "Failures", numeric: true },
        { head: "Last seen", numeric: true },
      ]}
    >
      {groups.map((group) => (
        <tr key={group.id}>
          <td className={tables["name"]}>
            <div className={styles["cell"]}>
              <Link to="/o/$organizationId/p/$project/groups/$groupId" params={{ ...params, groupId: group.id }}>
                <UserText inline text={titleOf(group)} />
              </Link>
              <div className={styles["muted"]}>
                <UserText inline text={group.title === null ? agentsWords(group) : group.whatText} />
              </div>
              {group.title !== null && (
                <div className={styles["muted"]}>
                  <UserText inline text={agentsWords(group)} />
                </div>
              )}
            </div>
          </td>
          <td>
            <StateChip group={group} />
          </td>
          <td className={tables["wideOnly"]}>
            <Trend group={group} width={120} />
          </td>
          <td className={tables["num"]}>
            <span className={widths["wideOnly"]}>{formatCount(group.size)}</span>
            <span className={widths["narrowOnly"]}>{formatPlural(group.size, "failure")}</span>
          </td>
          <td className={classes(tables["num"], tables["faint"])}>
            <Time at={group.lastSeenAt} />
          </td>
        </tr>
      ))}
    </Table>
  );
}
