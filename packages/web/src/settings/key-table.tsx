import { useQuery } from "@tanstack/react-query";
import { useOrganization } from "../frame/place.ts";
import { projectsQuery } from "../frame/projects.ts";
import { Button } from "../ui/button.tsx";
import { classes } from "../ui/classes.ts";
import { Table } from "../ui/table.tsx";
import tables from "../ui/table.module.css";
import { Time } from "../ui/time.tsx";
import { type ApiKey, keyName, reachOf } from "./key-reach.ts";
import { membersQuery } from "./queries.ts";

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
        { key: "name", head: "Name" },
        { key: "reach", head: "Reach", wideOnly: true },
        { key: "ends", head: "Ends in" },
        ...(canManage ? [{ key: "person", head: "Acts as", wideOnly: true }] : []),
        { key: "made", head: "Made", numeric: true, wideOnly: true },
        { key: "used", head: "Last used", numeric: true, wideOnly: true },
        ...(onRevoke ? [{ key: "revoke", head: "" }] : [{ key: "end", head: "Revoked", numeric: true }]),
      ]}
    >
      {keys.map((key) => (
        <tr key={key.id}>
          <td className={tables["name"]}>{keyName(key)}</td>
          <td className={tables["wide"]}>{reachOf(key, projects?.projects ?? [])}</td>
          <td className={tables["muted"]}>
            <code>{key.looks_like}</code>
          </td>
          {canManage && <td className={tables["wide"]}>{personOf(key)}</td>}
          <td className={classes(tables["num"], tables["wide"], tables["muted"])}>
            <Time at={key.created_at} />
          </td>
          <td className={classes(tables["num"], tables["wide"], tables["muted"])}>
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
