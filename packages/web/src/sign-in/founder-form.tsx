import { LIMITS } from "@svc/sdk";
import { clientOf } from "../client.ts";
import type { Session } from "../session.ts";
import { TextField } from "../ui/field.tsx";
import { ACCOUNT_FIELDS, AccountFields, SignInForm } from "./layout.tsx";
import { useEnter } from "./enter.ts";

const ORGANIZATION_CHARACTERS = LIMITS.nameCharacters;

export function FounderForm({ submit }: { submit: string }) {
  const { errors, busy, enter } = useEnter(ACCOUNT_FIELDS);
  return (
    <SignInForm
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
    </SignInForm>
  );
}

type Founder = { name: string; email: string; password: string; organization: string };

async function found({ organization, ...person }: Founder): Promise<Session> {
  const session = await clientOf().accounts.signUp(person);
  if (organization.trim() === "") return session;
  try {
    await clientOf(session.organization.id).organization.edit({ name: organization });
    return await clientOf().accounts.session();
  } catch {
    // The account exists, and a second sign-up would fail. The person can rename the organization in its settings.
    return session;
  }
}
