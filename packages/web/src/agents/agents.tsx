import { platformName } from "@svc/contract/constants";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Bot, Plus } from "lucide-react";
import { Page } from "../shell/page.tsx";
import { usePlace } from "../shell/place.ts";
import { Button } from "../ui/button.tsx";
import { Empty, EmptyByFilter } from "../ui/empty.tsx";
import { Failure } from "../ui/notice.tsx";
import { LoadMore, Table, tables } from "../ui/table.tsx";
import { SearchField } from "../ui/field.tsx";
import { Segmented } from "../ui/segmented.tsx";
import { Skeleton } from "../ui/progress.tsx";
import styles from "./agents.module.css";
import { NewAgent } from "./new-agent.tsx";
import { agentsQuery, countsQuery, passRatesQuery } from "./queries.ts";
import { UnregisteredNames, unregisteredOf } from "./unregistered-names.tsx";
import { classes } from "../ui/classes.ts";
import { formatCount, formatPercent, UNKNOWN } from "../ui/format.ts";
import { Time } from "../ui/time.tsx";
import { UserText } from "../ui/user-text.tsx";
import type { Agent } from "./agent-words.ts";

const route = getRouteApi("/o/$organizationId/p/$project/agents");

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

type AgentRowProps = { agent: Agent; conversations: number | undefined };

function AgentRow({ agent, conversations }: AgentRowProps) {
  const { params } = usePlace();
  return (
    <tr>
      <td className={tables["name"]}>
        <Link to="/o/$organizationId/p/$project/agents/$agentId" params={{ ...params, agentId: agent.id }}>
          <UserText inline text={agent.name} />
        </Link>
      </td>
      <td className={classes(tables["wideOnly"], styles["muted"])}>{platformName(agent.agentPlatform)}</td>
      <td className={classes(tables["num"], tables["wideOnly"])}>{formatCount(conversations)}</td>
      <td className={classes(tables["num"], tables["wideOnly"], styles["muted"])}>
        {agent.lastReceivedAt === null ? "Never" : <Time at={agent.lastReceivedAt} />}
      </td>
      <td className={tables["num"]}>
        <NewestRun agentId={agent.id} />
      </td>
    </tr>
  );
}

function NewestRun({ agentId }: { agentId: string }) {
  const place = usePlace();
  const { data } = useQuery(passRatesQuery(place, agentId, 1));
  const [newest] = data?.passRates ?? [];
  if (data === undefined) return null;
  if (newest === undefined) return <span title="No run yet">{UNKNOWN}</span>;
  return (
    <Link to="/o/$organizationId/p/$project/runs/$runId" params={{ ...place.params, runId: newest.runId }}>
      {newest.passRate === null ? "No verdict" : `${formatPercent(newest.passRate)} of ${newest.played} passed`}
    </Link>
  );
}
