import { useMutation, useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { useOrganization } from "../frame/place.ts";
import { queries } from "../queries.ts";
import { sessionQuery } from "../session.ts";
import { Failure } from "../ui/failure.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { Table } from "../ui/table.tsx";
import { MemberRow } from "./member-row.tsx";
import { PasswordLink } from "./password-link.tsx";
import { membersQuery } from "./queries.ts";
import { RemoveMember } from "./remove-member.tsx";
import type { Member, Role } from "./roles.ts";
import styles from "./settings.module.css";

type Action = { kind: "remove" | "password"; member: Member };

/** One row for each member, with the controls of an admin. */
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
            onRemove={() => setAction({ kind: "remove", member })}
          />
        ))}
      </Table>
      {action?.kind === "password" && <PasswordLink member={action.member} onClose={close} />}
      {action?.kind === "remove" && <RemoveMember member={action.member} onClose={close} />}
    </div>
  );
}
