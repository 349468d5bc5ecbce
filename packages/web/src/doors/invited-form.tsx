import { SvcError } from "@svc/sdk";
import { Link } from "@tanstack/react-router";
import { clientOf } from "../client.ts";
import { Checkbox } from "../ui/check.tsx";
import type { FormErrors } from "../ui/form-errors.ts";
import { ACCOUNT_FIELDS, AccountFields } from "./account-fields.tsx";
import { DoorForm } from "./door-form.tsx";
import { DoorNote } from "./door.tsx";
import { useEnter } from "./enter.ts";

const ADDRESS_TAKEN: FormErrors = {
  fields: {},
  form: "This address already has an account. If it is yours, sign in and accept the invitation. If it is not, create a separate account.",
};

/** Creates the account of an invited person. */
export function InvitedForm({ token, email }: { token: string; email: string }) {
  const { errors, refusal, busy, enter } = useEnter(ACCOUNT_FIELDS);
  // The other account may belong to a stranger, who used the address without a proof.
  const maySeparate = refusal instanceof SvcError && refusal.details["missing"] === "separate_account";
  return (
    <>
      <DoorForm
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
      </DoorForm>
      <DoorNote>
        You have an account?{" "}
        <Link to="/sign-in" search={{ to: `/invitation/${encodeURIComponent(token)}` }}>
          Sign in and accept.
        </Link>
      </DoorNote>
    </>
  );
}
