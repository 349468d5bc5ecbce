import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Archive, Pencil, Play, Siren } from "lucide-react";
import { useState } from "react";
import { Page } from "../shell/page.tsx";
import { PageFailure } from "../shell/not-here.tsx";
import { usePlace } from "../shell/place.ts";
import { queries } from "../queries.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/dialog.tsx";
import { Menu, MenuItem } from "../ui/menu.tsx";
import { Notice } from "../ui/notice.tsx";
import { Skeleton } from "../ui/progress.tsx";
import { AgentFacts, AgentRuns, AgentTools, AgentVersions } from "./agent-cards.tsx";
import type { Agent } from "./agent-words.ts";
import styles from "./agents.module.css";
import { Connections } from "./connections.tsx";
import { agentQuery } from "./queries.ts";
import { RenameAgent } from "./rename-agent.tsx";

const route = getRouteApi("/o/$organizationId/p/$project/agents/$agentId");

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
              to="/o/$organizationId/p/$project/alerts/rules/new"
              params={params}
              search={{ agent: agent.name }}
              className={buttonClass()}
            >
              <Siren size={14} aria-hidden />
              New alert rule
            </Link>
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
        <AgentVersions agent={agent} />
        <AgentRuns agentId={agent.id} />
        <AgentTools agentId={agent.id} />
      </div>
    </Page>
  );
}

function ArchivedNotice({ agent }: { agent: Agent }) {
  const { canWrite } = usePlace();
  const [isOpen, setOpen] = useState(false);
  return (
    <Notice
      kind="warning"
      action={
        canWrite && (
          <Button small onClick={() => setOpen(true)}>
            Restore agent
          </Button>
        )
      }
    >
      This agent is archived. No run can start against it.
      {isOpen && <RenameAgent agent={agent} onClose={() => setOpen(false)} />}
    </Notice>
  );
}

function AgentMenu({ agent }: { agent: Agent }) {
  const [open, setOpen] = useState<"name" | "archive">();
  const close = () => setOpen(undefined);
  return (
    <>
      <Menu label="Actions for this agent">
        <MenuItem icon={Pencil} onSelect={() => setOpen("name")}>
          Rename
        </MenuItem>
        <MenuItem icon={Archive} danger onSelect={() => setOpen("archive")}>
          Archive
        </MenuItem>
      </Menu>
      {open === "name" && <RenameAgent agent={agent} onClose={close} />}
      {open === "archive" && <ArchiveAgent agent={agent} onClose={close} />}
    </>
  );
}

function ArchiveAgent({ agent, onClose }: { agent: Agent; onClose: () => void }) {
  const { client, organizationId, projectId } = usePlace();
  return (
    <ConfirmDialog
      title={`Archive “${agent.name}”`}
      action="Archive agent"
      act={async () => {
        await client.agents.archive({ projectId, agentId: agent.id });
        await queries.invalidateQueries({ queryKey: [organizationId, projectId] });
      }}
      onClose={onClose}
    >
      <p>
        Its connections are archived too, and its runs that are under way are canceled. Its conversations and results
        stay. You can restore it.
      </p>
    </ConfirmDialog>
  );
}
