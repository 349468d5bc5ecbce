import { useMutation, useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useState } from "react";
import { useOrganization } from "../shell/place.ts";
import { instanceQuery } from "../instance.ts";
import { queries } from "../queries.ts";
import { Button } from "../ui/button.tsx";
import { Section } from "../ui/card.tsx";
import { classes } from "../ui/classes.ts";
import { Select, TextField } from "../ui/field.tsx";
import { formErrorsOf, NO_ERRORS } from "../ui/form.ts";
import { FormDialog } from "../ui/form-dialog.tsx";
import { Failure } from "../ui/notice.tsx";
import { Skeleton } from "../ui/progress.tsx";
import { Table, tables } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { AdminsOnly, SettingsPage } from "./settings-page.tsx";
import { LinkOnce } from "./secret.tsx";
import { MemberTable } from "./member-table.tsx";
import { invitationsQuery } from "./queries.ts";
import { type Role, ROLES } from "./roles.ts";
import styles from "./settings.module.css";

export function Members() {
  const { canManage } = useOrganization();
  const [isNew, setNew] = useState(false);
  return (
    <SettingsPage
      title="Members"
      actions={
        canManage && (
          <Button look="primary" onClick={() => setNew(true)}>
            <Plus size={14} aria-hidden />
            Invite a person
          </Button>
        )
      }
    >
      <AdminsOnly what="the members">
        <p className={styles["lede"]}>
          Viewers read. Members also write. Admins also manage the organization, its members and its keys.
        </p>
        <div className={styles["parts"]}>
          <MemberTable />
          <Invitations />
        </div>
        {isNew && <NewInvitation onClose={() => setNew(false)} />}
      </AdminsOnly>
    </SettingsPage>
  );
}

function NewInvitation({ onClose }: { onClose: () => void }) {
  const { client, organizationId, name } = useOrganization();
  const { data: instance } = useQuery(instanceQuery);
  const create = useMutation({
    mutationFn: (body: { email: string; role: Role }) => client.invitations.create(body),
    onSuccess: () => queries.invalidateQueries({ queryKey: invitationsQuery(organizationId).queryKey }),
  });
  if (create.data) {
    const { invitation, token } = create.data;
    return (
      <LinkOnce
        title={`${invitation.email} is invited`}
        lede={
          instance?.mail === true
            ? "The service also sends the link by mail."
            : "This service sends no mail. Send the link to the person."
        }
        path={`/invitation/${token}`}
        expiresAt={invitation.expiresAt}
        onClose={onClose}
      />
    );
  }
  const errors = create.error ? formErrorsOf(create.error, ["email", "role"]) : NO_ERRORS;
  return (
    <FormDialog
      title="Invite a person"
      lede={`The person joins ${name}. A new invitation replaces an open one for the same address.`}
      submit="Create invitation"
      errors={errors}
      busy={create.isPending}
      onSubmit={({ email = "", role }) => create.mutate({ email, role: role as Role })}
      onClose={onClose}
    >
      <TextField label="E-mail" name="email" type="email" autoComplete="off" autoFocus error={errors.fields["email"]} />
      <Select label="Role" name="role" defaultValue="member" options={ROLES} error={errors.fields["role"]} />
    </FormDialog>
  );
}

function Invitations() {
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
