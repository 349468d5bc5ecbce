import { useMutation, useQuery } from "@tanstack/react-query";
import { usePlace } from "../frame/place.ts";
import { queries } from "../queries.ts";
import { Button } from "../ui/button.tsx";
import { Failure } from "../ui/failure.tsx";
import { formatPlural } from "../ui/format.ts";
import { Table, tables } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { UserText } from "../ui/user-text.tsx";
import type { Agent } from "./agent-words.ts";
import { connectionsQuery } from "./queries.ts";

/** The archived connections of an agent, which can be restored while the agent is live. */
export function ArchivedConnections({ agent }: { agent: Agent }) {
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
