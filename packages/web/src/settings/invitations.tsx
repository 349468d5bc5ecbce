import { useMutation, useQuery } from "@tanstack/react-query";
import { useOrganization } from "../frame/place.ts";
import { queries } from "../queries.ts";
import { Button } from "../ui/button.tsx";
import { classes } from "../ui/classes.ts";
import { Failure } from "../ui/failure.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { Table } from "../ui/table.tsx";
import tables from "../ui/table.module.css";
import { Time } from "../ui/time.tsx";
import { invitationsQuery } from "./queries.ts";
import styles from "./settings.module.css";

/** The invitations that are neither used nor expired. */
export function Invitations() {
  const { client, organizationId } = useOrganization();
  const { data, error, refetch } = useQuery(invitationsQuery(organizationId));
  const revoke = useMutation({
    mutationFn: (invitationId: string) => client.invitations.revoke({ invitationId }),
    onSettled: () => queries.invalidateQueries({ queryKey: invitationsQuery(organizationId).queryKey }),
  });
  return (
    <section className={styles["section"]}>
      <header>
        <h2>Open invitations</h2>
      </header>
      {error && <Failure error={error} again={refetch} />}
      {revoke.error && <Failure error={revoke.error} />}
      {data === undefined && !error && <Skeleton rows={2} />}
      {data?.length === 0 && <p className={tables["muted"]}>No invitation is open.</p>}
      {data !== undefined && data.length > 0 && (
        <Table
          label="Open invitations"
          columns={[
            { key: "email", head: "E-mail" },
            { key: "role", head: "Role" },
            { key: "expires", head: "Expires", numeric: true, wideOnly: true },
            { key: "revoke", head: "" },
          ]}
        >
          {data.map(({ id, email, role, expiresAt }) => (
            <tr key={id}>
              <td className={tables["name"]}>{email}</td>
              <td>{role}</td>
              <td className={classes(tables["num"], tables["wide"], tables["muted"])}>
                <Time at={expiresAt} relative={false} />
              </td>
              <td className={tables["num"]}>
                <Button
                  small
                  look="danger"
                  busy={revoke.isPending && revoke.variables === id}
                  onClick={() => revoke.mutate(id)}
                >
                  Withdraw
                </Button>
              </td>
            </tr>
          ))}
        </Table>
      )}
    </section>
  );
}
