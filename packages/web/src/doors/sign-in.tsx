import { clientOf } from "../client.ts";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { Notice } from "../ui/notice.tsx";
import { Door, formClass } from "./door.tsx";
import { valuesOf } from "../ui/form-values.ts";
import { useEnter } from "./enter.ts";

/** Signs a person in, and goes back to where the person was. */
export function SignIn() {
  const { errors, busy, enter } = useEnter(["email", "password"]);
  return (
    <Door title="Sign in">
      <form
        className={formClass}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          const { email = "", password = "" } = valuesOf(event.currentTarget);
          void enter(() => clientOf().accounts.signIn({ email, password }));
        }}
      >
        {errors.form !== undefined && <Notice kind="failed">{errors.form}</Notice>}
        <TextField
          label="E-mail"
          name="email"
          type="email"
          autoComplete="username"
          autoFocus
          error={errors.fields["email"]}
        />
        <TextField
          label="Password"
          name="password"
          type="password"
          autoComplete="current-password"
          error={errors.fields["password"]}
        />
        <Button type="submit" look="primary" busy={busy}>
          Sign in
        </Button>
      </form>
    </Door>
  );
}
