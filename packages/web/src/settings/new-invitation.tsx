import { useMutation, useQuery } from "@tanstack/react-query";
import { useOrganization } from "../frame/place.ts";
import { instanceQuery } from "../instance.ts";
import { queries } from "../queries.ts";
import { Select, TextField } from "../ui/field.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { formErrorsOf, NO_ERRORS } from "../ui/form-errors.ts";
import { LinkOnce } from "./link-once.tsx";
import { invitationsQuery } from "./queries.ts";
import { type Role, ROLES } from "./roles.ts";

/** Invites a person, then shows the link. */
export function NewInvitation({ onClose }: { onClose: () => void }) {
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
