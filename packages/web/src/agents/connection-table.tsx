import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { usePlace } from "../shell/place.ts";
import { queries } from "../queries.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { classes } from "../ui/classes.ts";
import { ConfirmDialog } from "../ui/dialog.tsx";
import { Table, tables } from "../ui/table.tsx";
import { UserText } from "../ui/user-text.tsx";
import styles from "./agents.module.css";
import { type Connection, labelOf } from "./connection-draft.ts";

type ConnectionTableProps = {
  connections: readonly Connection[];
  mayChange: boolean;
  onEdit: (connection: Connection) => void;
  onTry: (connection: Connection) => void;
};

export function ConnectionTable({ connections, mayChange, onEdit, onTry }: ConnectionTableProps) {
  const { params } = usePlace();
  const [archived, setArchived] = useState<Connection>();
  return (
    <>
      <Table
        label="Connections"
        columns={[
          { head: "Name" },
          { head: "Settings", wideOnly: true },
          { head: "Credential", wideOnly: true },
          { head: "Environment", wideOnly: true },
          ...(mayChange ? [{ head: "" }] : []),
        ]}
      >
        {connections.map((connection) => (
          <tr key={connection.id}>
            <td>
              <div className={styles["lines"]}>
                <div className={styles["name"]}>
                  <UserText inline text={connection.name} />
                </div>
                <div className={styles["muted"]}>
                  {connection.productLabel}, {connection.modality}
                </div>
              </div>
            </td>
            <td className={tables["wideOnly"]}>
              <div className={classes(styles["lines"], styles["settings"])}>
                {Object.entries(connection.config).map(([name, value]) => (
                  <div key={name}>
                    {labelOf(name)} <code>{String(value)}</code>
                  </div>
                ))}
              </div>
            </td>
            <td className={tables["wideOnly"]}>
              {connection.credentialsHint === null ? "None" : <code>…{connection.credentialsHint}</code>}
            </td>
            <td className={tables["wideOnly"]}>{connection.environment}</td>
            {mayChange && (
              <td className={tables["end"]}>
                <div className={styles["buttons"]}>
                  <Link
                    to="/o/$organizationId/p/$project/runs/new"
                    params={params}
                    search={{ agent: connection.agentId, connection: connection.id }}
                    className={buttonClass("plain", true)}
                  >
                    Run
                  </Link>
                  <Button small onClick={() => onTry(connection)}>
                    Try
                  </Button>
                  <Button small onClick={() => onEdit(connection)}>
                    Edit
                  </Button>
                  <Button small look="danger" onClick={() => setArchived(connection)}>
                    Archive
                  </Button>
                </div>
              </td>
            )}
          </tr>
        ))}
      </Table>
      {archived && <ArchiveConnection connection={archived} onClose={() => setArchived(undefined)} />}
    </>
  );
}

function ArchiveConnection({ connection, onClose }: { connection: Connection; onClose: () => void }) {
  const { client, organizationId, projectId } = usePlace();
  return (
    <ConfirmDialog
      title={`Archive “${connection.name}”`}
      action="Archive connection"
      act={async () => {
        await client.connections.archive({ projectId, agentId: connection.agentId, connectionId: connection.id });
        await queries.invalidateQueries({ queryKey: [organizationId, projectId, "connections.list"] });
      }}
      onClose={onClose}
    >
      <p>New runs cannot use it. The service keeps its sealed credential, and you can restore it.</p>
    </ConfirmDialog>
  );
}
