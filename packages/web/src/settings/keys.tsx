import { useQuery } from "@tanstack/react-query";
import { KeyRound, Plus } from "lucide-react";
import { useState } from "react";
import { useOrganization } from "../shell/place.ts";
import { Button } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { Failure } from "../ui/notice.tsx";
import { Skeleton } from "../ui/progress.tsx";
import { type ApiKey, isExpired, keyName, permissionsOf, reachOf } from "./key-reach.ts";
import { NewKey } from "./new-key.tsx";
import { keysQuery, membersQuery } from "./queries.ts";
import { SettingsPage } from "./settings-page.tsx";
import styles from "./settings.module.css";
import { projectsQuery } from "../shell/projects.ts";
import { classes } from "../ui/classes.ts";
import { Table, tables } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { queries } from "../queries.ts";
import { ConfirmDialog } from "../ui/dialog.tsx";
import { useToast } from "../ui/toast.tsx";

export function Keys() {
  const { organizationId, role } = useOrganization();
  const { data, error, refetch } = useQuery(keysQuery(organizationId));
  const [isNew, setNew] = useState(false);
  const [revoked, setRevoked] = useState<ApiKey>();
  const keys = data?.keys.toSorted((a, b) => b.created_at.localeCompare(a.created_at)) ?? [];
  const isOver = (key: ApiKey) => key.revoked_at !== null || isExpired(key);
  const live = keys.filter((key) => !isOver(key));
  const old = keys.filter(isOver);
  const create = (
    <Button look="primary" onClick={() => setNew(true)}>
      <Plus size={14} aria-hidden />
      New key
    </Button>
  );
  return (
    <SettingsPage title="API keys" actions={create}>
      <p className={styles["lede"]}>
        A key acts as the person who made it, within its permission. Give a worker a key that only sends conversations
        of one project: whoever steals it can neither read nor delete anything.
        {role !== "admin" && " You see your own keys."}
      </p>
      {error && <Failure error={error} again={refetch} />}
      {data === undefined && !error && <Skeleton rows={4} />}
      {data !== undefined && live.length === 0 && (
        <Empty icon={KeyRound} title="No key yet">
          <p>A worker, the command line and your own programs sign in with a key.</p>
        </Empty>
      )}
      {live.length > 0 && <KeyTable label="API keys" keys={live} onRevoke={setRevoked} />}
      {old.length > 0 && (
        <details className={styles["old"]}>
          <summary>{old.length === 1 ? "1 key that ended" : `${old.length} keys that ended`}</summary>
          <KeyTable label="Keys that ended" keys={old} />
        </details>
      )}
      {isNew && <NewKey onClose={() => setNew(false)} />}
      {revoked && <RevokeKey apiKey={revoked} onClose={() => setRevoked(undefined)} />}
    </SettingsPage>
  );
}

type KeyTableProps = {
  label: string;
  keys: readonly ApiKey[];
  /** Undefined for keys that are revoked or expired. */
  onRevoke?: (key: ApiKey) => void;
};

function KeyTable({ label, keys, onRevoke }: KeyTableProps) {
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
        { head: "May" },
        { head: "Reach", wideOnly: true },
        { head: "Secret", wideOnly: true },
        ...(canManage ? [{ head: "Acts as", wideOnly: true }] : []),
        { head: "Made", numeric: true, wideOnly: true },
        { head: "Last used", numeric: true, wideOnly: true },
        { head: "From", wideOnly: true },
        ...(onRevoke
          ? [{ head: "Expires", numeric: true, wideOnly: true }, { head: "" }]
          : [{ head: "Ended", numeric: true }]),
      ]}
    >
      {keys.map((key) => (
        <tr key={key.id}>
          <td className={styles["name"]}>{keyName(key)}</td>
          <td>{permissionsOf(key)}</td>
          <td className={tables["wideOnly"]}>{reachOf(key, projects?.projects ?? [])}</td>
          <td className={classes(tables["wideOnly"], styles["muted"])}>
            <code>{key.looks_like}</code>
          </td>
          {canManage && <td className={tables["wideOnly"]}>{personOf(key)}</td>}
          <td className={classes(tables["num"], tables["wideOnly"], styles["muted"])}>
            <Time at={key.created_at} />
          </td>
          <td className={classes(tables["num"], tables["wideOnly"], styles["muted"])}>
            {key.last_used_at === null ? "Never" : <Time at={key.last_used_at} />}
          </td>
          <td className={classes(tables["wideOnly"], styles["muted"])}>{key.last_used_address}</td>
          {onRevoke && (
            <td className={classes(tables["num"], tables["wideOnly"], styles["muted"])}>
              {key.expires_at === null ? "Never" : <Time at={key.expires_at} absolute />}
            </td>
          )}
          <td className={tables["num"]}>
            {onRevoke ? (
              <Button small look="danger" onClick={() => onRevoke(key)}>
                Revoke
              </Button>
            ) : (
              <Time at={key.revoked_at ?? key.expires_at!} />
            )}
          </td>
        </tr>
      ))}
    </Table>
  );
}

function RevokeKey({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const { client, organizationId } = useOrganization();
  const show = useToast();
  const name = keyName(apiKey);
  return (
    <ConfirmDialog
      title={`Revoke “${name}”`}
      action="Revoke key"
      name={name}
      act={async () => {
        await client.keys.revoke({ apiKeyId: apiKey.id });
        await queries.invalidateQueries({ queryKey: keysQuery(organizationId).queryKey });
        show(`The key “${name}” is revoked.`);
      }}
      onClose={onClose}
    >
      <p>The key stops working with its next request. Nothing brings it back.</p>
    </ConfirmDialog>
  );
}
