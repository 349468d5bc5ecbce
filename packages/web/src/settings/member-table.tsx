import type { Answer, Operations } from "@svc/sdk";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { KeyRound, Link, ShieldOff, UserMinus } from "lucide-react";
import { useState } from "react";
import { useOrganization } from "../shell/place.ts";
import { queries } from "../queries.ts";
import { sessionQuery } from "../session.ts";
import { classes } from "../ui/classes.ts";
import { ConfirmDialog } from "../ui/dialog.tsx";
import { inputClass } from "../ui/field.tsx";
import { Menu, MenuItem } from "../ui/menu.tsx";
import { Failure } from "../ui/notice.tsx";
import { Skeleton } from "../ui/progress.tsx";
import { Table, tables } from "../ui/table.tsx";
import { useToast } from "../ui/toast.tsx";
import { Time } from "../ui/time.tsx";
import { UserText } from "../ui/user-text.tsx";
import { LinkOnce } from "./secret.tsx";
import { keysQuery, membersQuery } from "./queries.ts";
import { type Member, type Role, ROLES } from "./roles.ts";
import styles from "./settings.module.css";

type Action = { kind: "remove" | "password" | "factor" | "keys"; member: Member };

export function MemberTable() {
  const { client, organizationId, user } = useOrganization();
  const router = useRouter();
  const { data, error, refetch } = useQuery(membersQuery(organizationId));
  const [action, setAction] = useState<Action>();
  const close = () => setAction(undefined);
  const change = useMutation({
    mutationFn: ({ userId, role }: { userId: string; role: Role }) => client.members.edit({ userId, role }),
    onSettled: () => queries.invalidateQueries({ queryKey: membersQuery(organizationId).queryKey }),
    onSuccess: async (_, { userId }) => {
      if (userId !== user.id) return;
      await queries.refetchQueries(sessionQuery);
      await router.invalidate();
    },
  });
  if (error) return <Failure error={error} again={refetch} />;
  if (data === undefined) return <Skeleton rows={4} />;
  return (
    <div>
      {change.error && (
        <div className={styles["notices"]}>
          <Failure error={change.error} />
        </div>
      )}
      <Table
        label="Members"
        columns={[{ head: "Name" }, { head: "Role" }, { head: "Joined", numeric: true, wideOnly: true }, { head: "" }]}
      >
        {data.map((member) => (
          <MemberRow
            key={member.userId}
            member={member}
            isYou={member.userId === user.id}
            busy={change.isPending && change.variables.userId === member.userId}
            onRole={(role) => change.mutate({ userId: member.userId, role })}
            onPassword={() => setAction({ kind: "password", member })}
            onFactor={() => setAction({ kind: "factor", member })}
            onKeys={() => setAction({ kind: "keys", member })}
            onRemove={() => setAction({ kind: "remove", member })}
          />
        ))}
      </Table>
      {action?.kind === "password" && <PasswordLink member={action.member} onClose={close} />}
      {action?.kind === "factor" && <RemoveFactorOf member={action.member} onClose={close} />}
      {action?.kind === "keys" && <RevokeKeysOf member={action.member} onClose={close} />}
      {action?.kind === "remove" && <RemoveMember member={action.member} onClose={close} />}
    </div>
  );
}

type MemberRowProps = {
  member: Member;
  isYou: boolean;
  busy: boolean;
  onRole: (role: Role) => void;
  onPassword: () => void;
  onFactor: () => void;
  onKeys: () => void;
  onRemove: () => void;
};

const MemberRow = ({ member, isYou, busy, onRole, onPassword, onFactor, onKeys, onRemove }: MemberRowProps) => (
  <tr>
    <td>
      <div className={styles["person"]}>
        <div className={styles["name"]}>
          <UserText inline text={member.name} /> {isYou && <span className={styles["you"]}>(you)</span>}
        </div>
        <div className={styles["muted"]}>{member.email}</div>
      </div>
    </td>
    <td>
      <select
        className={classes(inputClass, styles["role"])}
        aria-label={`Role of ${member.name}`}
        value={member.role}
        disabled={busy}
        onChange={({ target }) => onRole(target.value as Role)}
      >
        {ROLES.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    </td>
    <td className={classes(tables["num"], tables["wideOnly"], styles["muted"])}>
      <Time at={member.createdAt} absolute />
    </td>
    <td className={tables["num"]}>
      <Menu label={`Actions for ${member.name}`} small>
        <MenuItem icon={Link} onSelect={onPassword}>
          Create a password link
        </MenuItem>
        <MenuItem icon={ShieldOff} danger onSelect={onFactor}>
          Remove the second factor
        </MenuItem>
        <MenuItem icon={KeyRound} danger onSelect={onKeys}>
          Revoke all API keys
        </MenuItem>
        <MenuItem icon={UserMinus} danger onSelect={onRemove}>
          {isYou ? "Leave the organization" : "Remove from the organization"}
        </MenuItem>
      </Menu>
    </td>
  </tr>
);

function PasswordLink({ member, onClose }: { member: Member; onClose: () => void }) {
  const { client } = useOrganization();
  const [link, setLink] = useState<Answer<Operations["members"]["resetPassword"]>>();
  if (link)
    return (
      <LinkOnce
        title={`A password link for ${member.name}`}
        lede={`Send it to ${member.email}. Whoever opens it gets the account.`}
        path={`/reset/${link.token}`}
        expiresAt={link.expiresAt}
        onClose={onClose}
      />
    );
  return (
    <ConfirmDialog
      title={`A password link for ${member.name}`}
      action="Create link"
      act={() => client.members.resetPassword({ userId: member.userId })}
      onDone={setLink}
      onClose={onClose}
    >
      <p>
        With the link, {member.name} sets a new password within 24 hours. All sessions of the person end then. The
        present password works until the link is used.
      </p>
    </ConfirmDialog>
  );
}

function RemoveFactorOf({ member, onClose }: { member: Member; onClose: () => void }) {
  const { client } = useOrganization();
  const show = useToast();
  return (
    <ConfirmDialog
      title={`Remove the second factor of ${member.name}`}
      action="Remove it"
      name={member.name}
      act={async () => {
        await client.members.removeSecondFactor({ userId: member.userId });
        show("The second factor is removed.");
      }}
      onClose={onClose}
    >
      <p>
        For a person who lost the authenticator app or passkeys, and the recovery codes. The sessions of the person end,
        and the password alone opens the account until they set a second factor up again. Be sure that it is the person
        who asks.
      </p>
    </ConfirmDialog>
  );
}

function RevokeKeysOf({ member, onClose }: { member: Member; onClose: () => void }) {
  const { client, organizationId, name: organization } = useOrganization();
  const show = useToast();
  return (
    <ConfirmDialog
      title={`Revoke all API keys of ${member.name}`}
      action="Revoke all keys"
      name={member.name}
      act={async () => {
        const { revokedKeys } = await client.members.revokeKeys({ userId: member.userId });
        await queries.invalidateQueries({ queryKey: keysQuery(organizationId).queryKey });
        show(revokedKeys === 1 ? "1 API key is revoked." : `${revokedKeys} API keys are revoked.`);
      }}
      onClose={onClose}
    >
      <p>
        The keys that this person made in {organization} stop with their next request. Workers that use one stop
        sending. The person stays a member and signed in.
      </p>
    </ConfirmDialog>
  );
}

/** A person can also leave the organization with this dialog. */
function RemoveMember({ member, onClose }: { member: Member; onClose: () => void }) {
  const { client, organizationId, name: organization, user } = useOrganization();
  const isYou = member.userId === user.id;
  return (
    <ConfirmDialog
      title={isYou ? `Leave ${organization}` : `Remove ${member.name}`}
      action={isYou ? "Leave" : "Remove"}
      name={isYou ? organization : member.name}
      act={async () => {
        await client.members.remove({ userId: member.userId });
        // A person who has left has no access to this page.
        if (isYou) return location.assign("/");
        await queries.invalidateQueries({ queryKey: membersQuery(organizationId).queryKey });
      }}
      onClose={onClose}
    >
      <p>
        {isYou ? "Your keys and sessions" : "The keys and sessions of this person"} in {organization} end at once. Other
        organizations stay. A person without another organization loses the account.
      </p>
    </ConfirmDialog>
  );
}
