import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { clientOf } from "../client.ts";
import { Failure } from "../ui/failure.tsx";
import { KeyValues } from "../ui/key-values.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { Time } from "../ui/time.tsx";
import { AcceptInvitation } from "./accept-invitation.tsx";
import { Door, DoorNote } from "./door.tsx";
import styles from "./door.module.css";
import { InvitedForm } from "./invited-form.tsx";

const route = getRouteApi("/invitation/$token");

/** Shows an invitation to the holder of its link, who accepts it with an account or creates one. */
export function Invitation() {
  const { token } = route.useParams();
  const { session } = route.useLoaderData();
  const { data, error, refetch } = useQuery({
    queryKey: ["invitations.preview", token],
    queryFn: ({ signal }) => clientOf().invitations.preview({ token }, { signal }),
    retry: false,
    staleTime: Infinity,
  });
  if (error)
    return (
      <Door title="Invitation">
        <div className={styles["stack"]}>
          <Failure error={error} again={refetch} />
        </div>
        <DoorNote>
          <Link to="/">Go to your pages</Link>
        </DoorNote>
      </Door>
    );
  if (data === undefined)
    return (
      <Door title="Invitation">
        <Skeleton rows={4} />
      </Door>
    );
  const { organization, inviter, email, role, expiresAt } = data.invitation;
  return (
    <Door title={`Join ${organization.name}`} lede={`${inviter?.name ?? "An admin"} invites you to this organization.`}>
      <div className={styles["facts"]}>
        <KeyValues
          items={[
            ["Organization", organization.name],
            ["Role", `${role}: ${ROLES[role]}`],
            ["For", email],
            ["Valid until", <Time key="until" at={expiresAt} absolute />],
          ]}
        />
      </div>
      {session === undefined ? (
        <InvitedForm token={token} email={email} />
      ) : (
        <AcceptInvitation token={token} email={email} signedInAs={session.user.email} />
      )}
    </Door>
  );
}

const ROLES = {
  admin: "reads, writes, and manages the organization",
  member: "reads and writes",
  viewer: "reads",
} as const;
