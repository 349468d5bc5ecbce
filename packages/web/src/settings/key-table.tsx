import { useQuery } from "@tanstack/react-query";
import { useOrganization } from "../frame/place.ts";
import { projectsQuery } from "../frame/projects.ts";
import { Button } from "../ui/button.tsx";
import { classes } from "../ui/classes.ts";
import { Table, tables } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { type ApiKey, keyName, reachOf } from "./key-reach.ts";
import { membersQuery } from "./queries.ts";
import styles from "./settings.module.css";

type KeyTableProps = {
  label: string;
  keys: readonly ApiKey[];
  /** Absent for keys that are revoked already. */
  onRevoke?: (key: ApiKey) => void;
};

/** One row for each key. Admins also see the person as whom a key acts. */
export function KeyTable({ label, keys, onRevoke }: KeyTableProps) {
  const { organizationId, canManage, user } = useOrganization();
  const { data: projects } = useQuery(projectsQuery(organizationId));
  const { data: members } = useQuery({ ...membersQuery(organizationId), enabled: canManage });
  const personOf = ({ created_by_user_id: id }: ApiKey) =>
    id === user.id ? "You" : (members?.find(({ userId }) => userId === id)?.name ?? "");
  return (
    <Table
      label={label}
      columns={[
        { head: "Name" },
        { head: "Reach", wideOnly: true },
        { head: "Ends in" },
        ...(canManage ? [{ head: "Acts as", wideOnly: true }] : []),
        { head: "Made", numeric: true, wideOnly: true },
        { head: "Last used", numeric: true, wideOnly: true },
        ...(onRevoke ? [{ head: "" }] : [{ head: "Revoked", numeric: true }]),
      ]}
    >
      {keys.map((key) => (
        <tr key={key.id}>
          <td className={styles["name"]}>{keyName(key)}</td>
          <td className={tables["wideOnly"]}>{reachOf(key, projects?.projects ?? [])}</td>
          <td className={styles["muted"]}>
            <code>{key.looks_like}</code>
          </td>
          {canManage && <td className={tables["wideOnly"]}>{personOf(key)}</td>}
          <td className={classes(tables["num"], tables["wideOnly"], styles["muted"])}>
            <Time at={key.created_at} />
          </td>
          <td className={classes(tables["num"], tables["wideOnly"], styles["muted"])}>
            {key.last_used_at === null ? "Never" : <Time at={key.last_used_at} />}
          </td>
          <td className={tables["num"]}>
            {onRevoke ? (
              <Button small look="danger" onClick={() => onRevoke(key)}>
                Revoke
              </Button>
            ) : (
              key.revoked_at !== null && <Time at={key.revoked_at} />
            )}
          </td>
        </tr>
      ))}
    </Table>
  );
}
