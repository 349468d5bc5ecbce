import { useMutation } from "@tanstack/react-query";
import { useOrganization } from "../frame/place.ts";
import { queries } from "../queries.ts";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { membersQuery } from "./queries.ts";
import type { Member } from "./roles.ts";

/** Removes a member after the admin has typed the name. */
export function RemoveMember({ member, onClose }: { member: Member; onClose: () => void }) {
  const { client, organizationId, name: organization, user } = useOrganization();
  const isYou = member.userId === user.id;
  const remove = useMutation({
    mutationFn: () => client.members.remove({ userId: member.userId }),
    onSuccess: async () => {
      // A person who leaves has no access to this page any more.
      if (isYou) return location.assign("/");
      await queries.invalidateQueries({ queryKey: membersQuery(organizationId).queryKey });
      onClose();
    },
  });
  return (
    <ConfirmDialog
      title={isYou ? `Leave ${organization}` : `Remove ${member.name}`}
      action={isYou ? "Leave" : "Remove"}
      name={isYou ? organization : member.name}
      busy={remove.isPending}
      error={remove.error}
      onClose={onClose}
      onConfirm={() => remove.mutate()}
    >
      <p>
        {isYou ? "Your keys and sessions" : "The keys and sessions of this person"} in {organization} end at once. Other
        organizations stay. A person without another organization loses the account.
      </p>
    </ConfirmDialog>
  );
}
