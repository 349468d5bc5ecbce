import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useOrganization } from "../frame/place.ts";
import { Button } from "../ui/button.tsx";
import { classes } from "../ui/classes.ts";
import { Failure } from "../ui/failure.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { Table, tables } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { AdminsOnly } from "./admins-only.tsx";
import { DeleteProviderKey } from "./delete-provider-key.tsx";
import { ProviderKeyForm } from "./provider-key-form.tsx";
import { type Provider, PROVIDERS } from "./provider-names.ts";
import { providerKeysQuery } from "./queries.ts";
import { SettingsPage } from "./settings-page.tsx";
import styles from "./settings.module.css";

/** The keys of speech providers, whose voices a persona can use. */
export const ProviderKeys = () => (
  <SettingsPage title="Provider keys">
    <AdminsOnly what="the provider keys">
      <p className={styles["lede"]}>
        With a provider’s key, personas have the voices of your account, and calls use the provider’s speech. The
        service seals the key and never shows it again.
      </p>
      <ProviderKeyTable />
    </AdminsOnly>
  </SettingsPage>
);

type Action = { kind: "set" | "delete"; provider: Provider };

function ProviderKeyTable() {
  const { organizationId } = useOrganization();
  const { data, error, refetch } = useQuery(providerKeysQuery(organizationId));
  const [action, setAction] = useState<Action>();
  const close = () => setAction(undefined);
  if (error) return <Failure error={error} again={refetch} />;
  if (data === undefined) return <Skeleton rows={8} />;
  const keyOf = (provider: string) => data.providerKeys.find((key) => key.provider === provider);
  return (
    <>
      <Table
        label="Provider keys"
        columns={[
          { head: "Provider" },
          { head: "Ends in" },
          { head: "Region", wideOnly: true },
          { head: "Set", numeric: true, wideOnly: true },
          { head: "" },
        ]}
      >
        {PROVIDERS.map((provider) => {
          const key = keyOf(provider.provider);
          return (
            <tr key={provider.provider}>
              <td className={styles["name"]}>{provider.name}</td>
              <td className={styles["muted"]}>{key ? <code>…{key.hint}</code> : "No key"}</td>
              <td className={classes(tables["wideOnly"], styles["muted"])}>{key?.region}</td>
              <td className={classes(tables["num"], tables["wideOnly"], styles["muted"])}>
                {key && <Time at={key.updatedAt} />}
              </td>
              <td>
                <div className={styles["actions"]}>
                  {key && (
                    <Button small look="danger" onClick={() => setAction({ kind: "delete", provider })}>
                      Delete
                    </Button>
                  )}
                  <Button small onClick={() => setAction({ kind: "set", provider })}>
                    {key ? "Replace" : "Set key"}
                  </Button>
                </div>
              </td>
            </tr>
          );
        })}
      </Table>
      {action?.kind === "set" && (
        <ProviderKeyForm
          provider={action.provider}
          region={keyOf(action.provider.provider)?.region ?? undefined}
          onClose={close}
        />
      )}
      {action?.kind === "delete" && <DeleteProviderKey provider={action.provider} onClose={close} />}
    </>
  );
}
