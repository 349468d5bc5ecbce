import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Play } from "lucide-react";
import { Page } from "../frame/page.tsx";
import { PageFailure } from "../frame/page-failure.tsx";
import { usePlace } from "../frame/place.ts";
import { buttonClass } from "../ui/button.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { AgentFacts } from "./agent-facts.tsx";
import { AgentMenu } from "./agent-menu.tsx";
import { AgentRuns } from "./agent-runs.tsx";
import { AgentTools } from "./agent-tools.tsx";
import styles from "./agents.module.css";
import { ArchivedNotice } from "./archived-notice.tsx";
import { Connections } from "./connections.tsx";
import { agentQuery } from "./queries.ts";

const route = getRouteApi("/o/$organizationId/p/$project/agents/$agentId");

/** One agent: how the service reaches it, its conversations, its runs and its mock tools. */
export function AgentPage() {
  const place = usePlace();
  const { agentId } = route.useParams();
  const { data, error } = useQuery(agentQuery(place, agentId));
  const above = (
    <Link to="/o/$organizationId/p/$project/agents" params={place.params}>
      Agents
    </Link>
  );
  if (error && data === undefined) return <PageFailure error={error} />;
  if (data === undefined)
    return (
      <Page title="Agent" above={above}>
        <Skeleton />
      </Page>
    );
  const { agent } = data;
  const { canWrite, params } = place;
  return (
    <Page
      title={agent.name}
      above={above}
      actions={
        canWrite &&
        !agent.archived && (
          <>
            <AgentMenu agent={agent} />
            <Link
              to="/o/$organizationId/p/$project/runs/new"
              params={params}
              search={{ agent: agent.id }}
              className={buttonClass("primary")}
            >
              <Play size={14} aria-hidden />
              Start a run
            </Link>
          </>
        )
      }
    >
      <div className={styles["parts"]}>
        {agent.archived && <ArchivedNotice agent={agent} />}
        <AgentFacts agent={agent} />
        <Connections agent={agent} />
        <AgentRuns agentId={agent.id} />
        <AgentTools agentId={agent.id} />
      </div>
    </Page>
  );
}
