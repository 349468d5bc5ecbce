import { LIMITS } from "@svc/sdk";
import { TextField } from "../ui/field.tsx";
import type { FormErrors } from "../ui/form-errors.ts";

type FieldsProps = {
  errors: FormErrors;
  /** The address of an invitation, which the person cannot change. */
  email?: string;
};

/** The fields of a new account: `name`, `email` and `password`. */
export const AccountFields = ({ errors, email }: FieldsProps) => (
  <>
    <TextField label="Your name" name="name" autoComplete="name" autoFocus error={errors.fields["name"]} />
    <TextField
      label="E-mail"
      name="email"
      type="email"
      autoComplete="username"
      {...(email !== undefined && { value: email, readOnly: true })}
      error={errors.fields["email"]}
    />
    <NewPasswordField label="Password" name="password" error={errors.fields["password"]} />
  </>
);

export const ACCOUNT_FIELDS = ["name", "email", "password"] as const;

type NewPasswordProps = { label: string; name: string; error: string | undefined; autoFocus?: boolean };

/** The field of a password that a person chooses. */
export const NewPasswordField = (props: NewPasswordProps) => (
  <TextField
    {...props}
    type="password"
    autoComplete="new-password"
    help={`At least ${LIMITS.passwordCharactersMin} characters.`}
  />
);
