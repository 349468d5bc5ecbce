import { useMutation, useQuery } from "@tanstack/react-query";
import { useOrganization } from "../frame/place.ts";
import { Section } from "../ui/card.tsx";
import { queries } from "../queries.ts";
import { Button } from "../ui/button.tsx";
import { classes } from "../ui/classes.ts";
import { Failure } from "../ui/failure.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { Table, tables } from "../ui/table.tsx";
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
    <Section title="Open invitations">
      {error && <Failure error={error} again={refetch} />}
      {revoke.error && <Failure error={revoke.error} />}
      {data === undefined && !error && <Skeleton rows={2} />}
      {data?.length === 0 && <p className={styles["muted"]}>No invitation is open.</p>}
      {data !== undefined && data.length > 0 && (
        <Table
          label="Open invitations"
          columns={[
            { head: "E-mail" },
            { head: "Role" },
            { head: "Expires", numeric: true, wideOnly: true },
            { head: "" },
          ]}
        >
          {data.map(({ id, email, role, expiresAt }) => (
            <tr key={id}>
              <td className={styles["name"]}>{email}</td>
              <td>{role}</td>
              <td className={classes(tables["num"], tables["wideOnly"], styles["muted"])}>
                <Time at={expiresAt} absolute />
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
    </Section>
  );
}
