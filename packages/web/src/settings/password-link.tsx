import { useMutation } from "@tanstack/react-query";
import { useOrganization } from "../frame/place.ts";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { LinkOnce } from "./link-once.tsx";
import type { Member } from "./roles.ts";

/** Creates a link with which a member sets a new password. */
export function PasswordLink({ member, onClose }: { member: Member; onClose: () => void }) {
  const { client } = useOrganization();
  const create = useMutation({ mutationFn: () => client.members.resetPassword({ userId: member.userId }) });
  if (create.data)
    return (
      <LinkOnce
        title={`A password link for ${member.name}`}
        lede={`Send it to ${member.email}. Whoever opens it gets the account.`}
        path={`/reset/${create.data.token}`}
        expiresAt={create.data.expiresAt}
        onClose={onClose}
      />
    );
  return (
    <ConfirmDialog
      title={`A password link for ${member.name}`}
      action="Create link"
      busy={create.isPending}
      error={create.error}
      onClose={onClose}
      onConfirm={() => create.mutate()}
    >
      <p>
        With the link, {member.name} sets a new password within 24 hours. All sessions of the person end then. The
        present password works until the link is used.
      </p>
    </ConfirmDialog>
  );
}
