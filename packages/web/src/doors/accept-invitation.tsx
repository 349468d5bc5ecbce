import { useMutation } from "@tanstack/react-query";
import { useNavigate, useRouter } from "@tanstack/react-router";
import { clientOf } from "../client.ts";
import { queries } from "../queries.ts";
import { sessionQuery } from "../session.ts";
import { Button } from "../ui/button.tsx";
import { Failure } from "../ui/failure.tsx";
import { Notice } from "../ui/notice.tsx";
import styles from "./door.module.css";
import { forgetSignIn } from "../frame/signed-in-before.ts";

type AcceptProps = { token: string; email: string; signedInAs: string };

/** Lets a signed-in person accept, or sign out when the invitation is for another address. */
export function AcceptInvitation({ token, email, signedInAs }: AcceptProps) {
  const navigate = useNavigate();
  const router = useRouter();
  const accept = useMutation({
    mutationFn: () => clientOf().invitations.accept({ token }),
    onSuccess: async ({ organization }) => {
      queries.removeQueries(sessionQuery);
      await navigate({ to: "/o/$organizationId", params: { organizationId: organization.id } });
    },
  });
  const leave = useMutation({
    mutationFn: () => clientOf().accounts.signOut(),
    onSuccess: () => {
      forgetSignIn();
      queries.removeQueries(sessionQuery);
      return router.invalidate();
    },
  });
  const isTheirs = email.toLowerCase() === signedInAs.toLowerCase();
  return (
    <div className={styles["stack"]}>
      {accept.error && <Failure error={accept.error} />}
      {leave.error && <Failure error={leave.error} />}
      {isTheirs ? (
        <Button look="primary" busy={accept.isPending} onClick={() => accept.mutate()}>
          Join as {signedInAs}
        </Button>
      ) : (
        <>
          <Notice kind="warning">
            You are signed in as {signedInAs}, and this invitation is for {email}.
          </Notice>
          <Button busy={leave.isPending} onClick={() => leave.mutate()}>
            Sign out and continue
          </Button>
        </>
      )}
    </div>
  );
}
