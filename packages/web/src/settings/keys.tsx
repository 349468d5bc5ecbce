import { useQuery } from "@tanstack/react-query";
import { KeyRound, Plus } from "lucide-react";
import { useState } from "react";
import { useOrganization } from "../frame/place.ts";
import { Button } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { Failure } from "../ui/failure.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import type { ApiKey } from "./key-reach.ts";
import { KeyTable } from "./key-table.tsx";
import { NewKey } from "./new-key.tsx";
import { keysQuery } from "./queries.ts";
import { RevokeKey } from "./revoke-key.tsx";
import { SettingsPage } from "./settings-page.tsx";
import styles from "./settings.module.css";

/** The API keys that the person can see, newest first. */
export function Keys() {
  const { organizationId, role } = useOrganization();
  const { data, error, refetch } = useQuery(keysQuery(organizationId));
  const [isNew, setNew] = useState(false);
  const [revoked, setRevoked] = useState<ApiKey>();
  const keys = data?.keys.toSorted((a, b) => b.created_at.localeCompare(a.created_at)) ?? [];
  const live = keys.filter(({ revoked_at }) => revoked_at === null);
  const old = keys.filter(({ revoked_at }) => revoked_at !== null);
  const create = (
    <Button look="primary" onClick={() => setNew(true)}>
      <Plus size={14} aria-hidden />
      New key
    </Button>
  );
  return (
    <SettingsPage title="API keys" actions={create}>
      <p className={styles["lede"]}>
        A key acts as the person who made it. A worker needs a key of one project; the command line can use either.
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
          <summary>{old.length === 1 ? "1 revoked key" : `${old.length} revoked keys`}</summary>
          <KeyTable label="Revoked keys" keys={old} />
        </details>
      )}
      {isNew && <NewKey onClose={() => setNew(false)} />}
      {revoked && <RevokeKey apiKey={revoked} onClose={() => setRevoked(undefined)} />}
    </SettingsPage>
  );
}
