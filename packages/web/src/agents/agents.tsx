import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Bot, Plus } from "lucide-react";
import { Page } from "../frame/page.tsx";
import { usePlace } from "../frame/place.ts";
import { Button } from "../ui/button.tsx";
import { Empty, EmptyByFilter } from "../ui/empty.tsx";
import { Failure } from "../ui/failure.tsx";
import { LoadMore } from "../ui/load-more.tsx";
import { SearchField } from "../ui/search-field.tsx";
import { Segmented } from "../ui/segmented.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { Table } from "../ui/table.tsx";
import { AgentRow } from "./agent-row.tsx";
import styles from "./agents.module.css";
import { NewAgent } from "./new-agent.tsx";
import { agentsQuery, countsQuery } from "./queries.ts";
import { UnregisteredNames } from "./unregistered-names.tsx";
import { unregisteredOf } from "./unregistered.ts";

const route = getRouteApi("/o/$organizationId/p/$project/agents");

/** The agents of the project, live or archived. */
export function Agents() {
  const place = usePlace();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const archived = search.archived === "true";
  const list = useInfiniteQuery(agentsQuery(place, { search: search.search, archived }));
  const { data: counts } = useQuery(countsQuery(place));
  const agents = list.data?.pages.flatMap((page) => page.agents) ?? [];
  const isEmpty = list.data !== undefined && agents.length === 0;
  const isWhole = list.data !== undefined && !list.hasNextPage && search.search === undefined && !archived;
  const names = isWhole && counts !== undefined ? unregisteredOf(counts.series, agents) : [];
  const change = (part: Partial<typeof search>) =>
    void navigate({ search: (before) => ({ ...before, ...part }), replace: true });
  const create = place.canWrite && (
    <Button look="primary" onClick={() => change({ new: "true", name: undefined })}>
      <Plus size={14} aria-hidden />
      New agent
    </Button>
  );
  return (
    <Page title="Agents" actions={create}>
      <div className={styles["controls"]}>
        <SearchField
          label="Search agents"
          value={search.search ?? ""}
          onChange={(text) => change({ search: text === "" ? undefined : text })}
        />
        <Segmented
          label="Which agents"
          options={[
            { value: "live", label: "Live" },
            { value: "archived", label: "Archived" },
          ]}
          value={archived ? "archived" : "live"}
          onChange={(shown) => change({ archived: shown === "archived" ? "true" : undefined })}
        />
      </div>
      {list.error && <Failure error={list.error} again={list.refetch} />}
      {list.data === undefined && !list.error && <Skeleton rows={5} />}
      {isEmpty && !archived && search.search === undefined && (
        <Empty icon={Bot} title="No agent yet" action={create}>
          <p>
            An agent is what you test or monitor. Create one, and add a connection over which the service reaches it.
          </p>
        </Empty>
      )}
      {isEmpty && archived && search.search === undefined && (
        <Empty icon={Bot} title="No agent is archived">
          <p>An archived agent keeps its conversations and runs. Restore it here.</p>
        </Empty>
      )}
      {isEmpty && search.search !== undefined && (
        <EmptyByFilter
          filters={[`name with “${search.search}”`, ...(archived ? ["archived"] : [])]}
          onClear={() => change({ search: undefined })}
        />
      )}
      {agents.length > 0 && (
        <Table
          label="Agents"
          columns={[
            { head: "Name" },
            { head: "Platform", wideOnly: true },
            { head: "Production conversations, 7 days", numeric: true, wideOnly: true },
            { head: "Last one", numeric: true, wideOnly: true },
            { head: "Newest run", numeric: true },
          ]}
        >
          {agents.map((agent) => (
            <AgentRow
              key={agent.id}
              agent={agent}
              conversations={
                counts && (counts.series.find(({ agentName }) => agentName === agent.name)?.conversations ?? 0)
              }
            />
          ))}
        </Table>
      )}
      {names.length > 0 && <UnregisteredNames names={names} onCreate={(name) => change({ new: "true", name })} />}
      <LoadMore hasMore={list.hasNextPage} busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()} />
      {search.new === "true" && place.canWrite && (
        <NewAgent name={search.name} onClose={() => change({ new: undefined, name: undefined })} />
      )}
    </Page>
  );
}
