import { SvcError } from "@svc/sdk";
import { useMutation, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate, useRouter } from "@tanstack/react-router";
import { clientOf } from "../client.ts";
import { forgetSignIn } from "../shell/signed-in-before.ts";
import { queries } from "../queries.ts";
import { sessionQuery } from "../session.ts";
import { Button } from "../ui/button.tsx";
import { Checkbox } from "../ui/check.tsx";
import type { FormErrors } from "../ui/form.ts";
import { KeyValues } from "../ui/key-values.tsx";
import { Failure, Notice } from "../ui/notice.tsx";
import { Skeleton } from "../ui/progress.tsx";
import { Time } from "../ui/time.tsx";
import { ACCOUNT_FIELDS, AccountFields, SignInLayout, SignInForm, SignInNote } from "./layout.tsx";
import styles from "./layout.module.css";
import { useEnter } from "./enter.ts";

const ROLES = {
  admin: "reads, writes, and manages the organization",
  member: "reads and writes",
  viewer: "reads",
} as const;

const ADDRESS_TAKEN: FormErrors = {
  fields: {},
  form: "This address already has an account. If it is yours, sign in and accept the invitation. If it is not, create a separate account.",
};

const route = getRouteApi("/invitation/$token");

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
      <SignInLayout title="Invitation">
        <div className={styles["stack"]}>
          <Failure error={error} again={refetch} />
        </div>
        <SignInNote>
          <Link to="/">Go to your pages</Link>
        </SignInNote>
      </SignInLayout>
    );
  if (data === undefined)
    return (
      <SignInLayout title="Invitation">
        <Skeleton rows={4} />
      </SignInLayout>
    );
  const { organization, inviter, email, role, expiresAt } = data.invitation;
  return (
    <SignInLayout
      title={`Join ${organization.name}`}
      lede={`${inviter?.name ?? "An admin"} invites you to this organization.`}
    >
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
    </SignInLayout>
  );
}

type AcceptProps = { token: string; email: string; signedInAs: string };

/** If the invitation is for another address, the button signs the person out instead. */
function AcceptInvitation({ token, email, signedInAs }: AcceptProps) {
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

function InvitedForm({ token, email }: { token: string; email: string }) {
  const { errors, refusal, busy, enter } = useEnter(ACCOUNT_FIELDS);
  // The other account may belong to a stranger who signed up with the address without proof.
  const maySeparate = refusal instanceof SvcError && refusal.details["missing"] === "separate_account";
  return (
    <>
      <SignInForm
        errors={maySeparate ? ADDRESS_TAKEN : errors}
        busy={busy}
        submit="Create the account and join"
        onSubmit={({ name = "", password = "", separate }) =>
          enter(() =>
            clientOf().accounts.signUp({
              name,
              email,
              password,
              invitation_token: token,
              ...(separate !== undefined && { separate_account: true }),
            }),
          )
        }
      >
        <AccountFields errors={errors} email={email} />
        {maySeparate && (
          <Checkbox
            name="separate"
            label="The other account is not mine. Create a separate one."
            help="It belongs to this organization only. The other account keeps its password, its organizations and its keys. The password chooses the account at sign-in."
          />
        )}
      </SignInForm>
      <SignInNote>
        You have an account?{" "}
        <Link to="/sign-in" search={{ to: `/invitation/${encodeURIComponent(token)}` }}>
          Sign in and accept.
        </Link>
      </SignInNote>
    </>
  );
}
