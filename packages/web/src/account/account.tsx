import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { clientOf } from "../client.ts";
import { Page } from "../shell/page.tsx";
import { forgetSignIn } from "../shell/signed-in-before.ts";
import { applyTheme, storedTheme, type Theme } from "../shell/theme.ts";
import { queries } from "../queries.ts";
import { sessionQuery } from "../session.ts";
import { Button } from "../ui/button.tsx";
import { Section } from "../ui/card.tsx";
import { Switch } from "../ui/check.tsx";
import { ConfirmDialog } from "../ui/dialog.tsx";
import { TextField } from "../ui/field.tsx";
import { formErrorsOf, NO_ERRORS, valuesOf } from "../ui/form.ts";
import { KeyValues } from "../ui/key-values.tsx";
import { Notice } from "../ui/notice.tsx";
import { Segmented } from "../ui/segmented.tsx";
import { lettersAreOn, switchLetters } from "../ui/use-keys.ts";
import styles from "./account.module.css";
import { Organizations } from "./organizations.tsx";
import { PasswordForm } from "./password-form.tsx";
import { SecondFactor } from "./second-factor.tsx";
import { Sessions } from "./sessions.tsx";

const THEMES: { value: Theme; label: string }[] = [
  { value: "system", label: "As the system" },
  { value: "light", label: "Light" },
  { value: "dark", label: "Dark" },
];

/** The account page is the same in every organization. */
export function Account() {
  const { data: session } = useQuery(sessionQuery);
  if (session === undefined) return null;
  const { user, organizations } = session;
  return (
    <Page title="Account">
      <div className={styles["parts"]}>
        <Section title="You">
          <div className={styles["settings"]}>
            <KeyValues items={[["E-mail", user.email]]} />
            <NameForm name={user.name} />
          </div>
        </Section>
        <Interface />
        <PasswordForm email={user.email} />
        <SecondFactor />
        <Sessions />
        <Organizations organizations={organizations} />
        <DeleteAccount email={user.email} />
      </div>
    </Page>
  );
}

function NameForm({ name }: { name: string }) {
  const change = useMutation({
    mutationFn: (values: Record<string, string>) => clientOf().accounts.editUser({ name: values["name"] ?? "" }),
    onSuccess: (session) => queries.setQueryData(sessionQuery.queryKey, session),
  });
  const errors = change.error ? formErrorsOf(change.error, ["name"]) : NO_ERRORS;
  return (
    <form
      className={styles["form"]}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        change.mutate(valuesOf(event.currentTarget));
      }}
    >
      {errors.form !== undefined && <Notice kind="failed">{errors.form}</Notice>}
      {change.isSuccess && <Notice kind="good">The name is changed.</Notice>}
      <TextField label="Name" name="name" autoComplete="name" defaultValue={name} error={errors.fields["name"]} />
      <Button type="submit" busy={change.isPending}>
        Change name
      </Button>
    </form>
  );
}

function Interface() {
  const [theme, setTheme] = useState(storedTheme);
  const [letters, setLetters] = useState(lettersAreOn);
  return (
    <Section title="This browser">
      <div className={styles["settings"]}>
        <Segmented
          label="Appearance"
          options={THEMES}
          value={theme}
          onChange={(chosen) => {
            applyTheme(chosen);
            setTheme(chosen);
          }}
        />
        <Switch
          label="Single letters are shortcuts, such as “g o” for the overview and “?” for their list"
          checked={letters}
          onChange={(on) => {
            switchLetters(on);
            setLetters(on);
          }}
        />
      </div>
    </Section>
  );
}

function DeleteAccount({ email }: { email: string }) {
  const [isOpen, setOpen] = useState(false);
  const [password, setPassword] = useState("");
  const close = () => {
    setOpen(false);
    setPassword("");
  };
  return (
    <Section title="Delete the account">
      <p className={styles["text"]}>
        Your keys and sessions in all organizations end. Tests, runs and conversations stay with their organizations.
        The last admin of an organization cannot delete the account.
      </p>
      <Button look="danger" onClick={() => setOpen(true)}>
        Delete account
      </Button>
      {isOpen && (
        <ConfirmDialog
          title="Delete your account"
          action="Delete account"
          name={email}
          act={async () => {
            await clientOf().accounts.deleteUser({ password });
            forgetSignIn();
            location.assign("/sign-in");
          }}
          onClose={close}
        >
          <TextField
            label="Password"
            type="password"
            autoComplete="current-password"
            value={password}
            onChange={({ target }) => setPassword(target.value)}
          />
        </ConfirmDialog>
      )}
    </Section>
  );
}
