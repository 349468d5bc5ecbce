import { TextField } from "../ui/field.tsx";
import { ACCOUNT_FIELDS, AccountFields } from "./account-fields.tsx";
import { DoorForm } from "./door-form.tsx";
import { useEnter } from "./enter.ts";
import { found, ORGANIZATION_CHARACTERS } from "./found.ts";

/** Creates an account with a new organization. */
export function FounderForm({ submit }: { submit: string }) {
  const { errors, busy, enter } = useEnter(ACCOUNT_FIELDS);
  return (
    <DoorForm
      errors={errors}
      busy={busy}
      submit={submit}
      onSubmit={({ name = "", email = "", password = "", organization = "" }) =>
        enter(() => found({ name, email, password, organization }))
      }
    >
      <AccountFields errors={errors} />
      <TextField
        label="Organization"
        name="organization"
        autoComplete="organization"
        maxLength={ORGANIZATION_CHARACTERS}
        help="You can change it later."
      />
    </DoorForm>
  );
}
