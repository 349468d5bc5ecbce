import { useMutation, useQuery } from "@tanstack/react-query";
import { Plug, Plus } from "lucide-react";
import { useState } from "react";
import { usePlace } from "../shell/place.ts";
import { Button } from "../ui/button.tsx";
import { Section } from "../ui/card.tsx";
import { Empty } from "../ui/empty.tsx";
import { Failure } from "../ui/notice.tsx";
import { Skeleton } from "../ui/progress.tsx";
import type { Agent } from "./agent-words.ts";
import styles from "./agents.module.css";
import type { Connection } from "./connection-draft.ts";
import { ConnectionForm } from "./connection-form.tsx";
import { ConnectionTable } from "./connection-table.tsx";
import { ConnectionTryDialog } from "./connection-try.tsx";
import { connectionsQuery } from "./queries.ts";
import { queries } from "../queries.ts";
import { formatPlural } from "../ui/format.ts";
import { Table, tables } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { UserText } from "../ui/user-text.tsx";

export function Connections({ agent }: { agent: Agent }) {
  const place = usePlace();
  const { data, error, refetch } = useQuery(connectionsQuery(place, agent.id));
  const [form, setForm] = useState<{ connection?: Connection }>();
  const [tried, setTried] = useState<{ connection: Connection; isNew: boolean }>();
  const mayChange = place.canWrite && !agent.archived;
  return (
    <Section
      title="Connections"
      action={
        mayChange && (
          <Button small onClick={() => setForm({})}>
            <Plus size={14} aria-hidden />
            Add connection
          </Button>
        )
      }
    >
      {error && <Failure error={error} again={refetch} />}
      {data === undefined && !error && <Skeleton rows={2} />}
      {data?.length === 0 && agent.archived && <p className={styles["muted"]}>Its connections are archived too.</p>}
      {data?.length === 0 && !agent.archived && (
        <Empty icon={Plug} title="No connection yet">
          <p>A connection says how the service reaches the agent: an address, a phone number, a room or a command.</p>
        </Empty>
      )}
      {data !== undefined && data.length > 0 && (
        <ConnectionTable
          connections={data}
          mayChange={mayChange}
          onEdit={(connection) => setForm({ connection })}
          onTry={(connection) => setTried({ connection, isNew: false })}
        />
      )}
      <div className={styles["old"]}>
        <ArchivedConnections agent={agent} />
      </div>
      {form && (
        <ConnectionForm
          agent={agent}
          stored={form.connection}
          onAdded={(connection) => setTried({ connection, isNew: true })}
          onClose={() => setForm(undefined)}
        />
      )}
      {tried && <ConnectionTryDialog {...tried} onClose={() => setTried(undefined)} />}
    </Section>
  );
}

function ArchivedConnections({ agent }: { agent: Agent }) {
  const place = usePlace();
  const { client, organizationId, projectId, canWrite } = place;
  const { data } = useQuery(connectionsQuery(place, agent.id, { archived: true }));
  const restore = useMutation({
    mutationFn: (connectionId: string) => client.connections.restore({ projectId, agentId: agent.id, connectionId }),
    onSuccess: () => queries.invalidateQueries({ queryKey: [organizationId, projectId, "connections.list"] }),
  });
  if (data === undefined || data.length === 0) return null;
  return (
    <details>
      <summary>{formatPlural(data.length, "archived connection")}</summary>
      {restore.error && <Failure error={restore.error} />}
      <Table
        label="Archived connections"
        columns={[{ head: "Name" }, { head: "Type" }, { head: "Archived" }, { head: "" }]}
      >
        {data.map(({ id, name, productLabel, archivedAt }) => (
          <tr key={id}>
            <td>
              <UserText inline text={name} />
            </td>
            <td>{productLabel}</td>
            <td>
              <Time at={archivedAt} />
            </td>
            <td className={tables["end"]}>
              {canWrite && !agent.archived && (
                <Button small busy={restore.isPending && restore.variables === id} onClick={() => restore.mutate(id)}>
                  Restore
                </Button>
              )}
            </td>
          </tr>
        ))}
      </Table>
    </details>
  );
}
