import { LIMITS, SvcError } from "@svc/sdk";
import { useMutation } from "@tanstack/react-query";
import { useRef } from "react";
import { clientOf } from "../client.ts";
import { queries } from "../queries.ts";
import { Button } from "../ui/button.tsx";
import { Section } from "../ui/card.tsx";
import { Checkbox } from "../ui/check.tsx";
import { TextField } from "../ui/field.tsx";
import { formErrorsOf, NO_ERRORS, valuesOf } from "../ui/form.ts";
import { Notice } from "../ui/notice.tsx";
import styles from "./account.module.css";
import { RevokeKeys, revokedWords } from "../revoke-keys.tsx";
import { sessionsQuery } from "./sessions.tsx";

const FIELDS = ["current_password", "new_password"];

export function PasswordForm({ email }: { email: string }) {
  const form = useRef<HTMLFormElement>(null);
  const change = useMutation({
    mutationFn: (values: Record<string, string>) =>
      clientOf().accounts.changePassword({
        current_password: values["current_password"] ?? "",
        new_password: values["new_password"] ?? "",
        revoke_other_sessions: values["others"] !== undefined,
        revoke_keys: values["keys"] !== undefined,
      }),
    onSuccess: async () => {
      form.current?.reset();
      await queries.invalidateQueries(sessionsQuery);
    },
  });
  const errors = change.error ? formErrorsOf(change.error, FIELDS) : NO_ERRORS;
  const isWrong = change.error instanceof SvcError && change.error.code === "not_permitted";
  return (
    <Section title="Password">
      <form
        ref={form}
        className={styles["form"]}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          change.mutate(valuesOf(event.currentTarget));
        }}
      >
        {errors.form !== undefined && !isWrong && <Notice kind="failed">{errors.form}</Notice>}
        {change.isSuccess && (
          <Notice kind="good">
            The password is changed.{revokedWords(change.data.revoked_keys)}
            {change.data.other_sessions > 0 && " Your other sessions go on; end them below."}
          </Notice>
        )}
        <input type="hidden" name="username" autoComplete="username" value={email} readOnly />
        <TextField
          label="Current password"
          name="current_password"
          type="password"
          autoComplete="current-password"
          error={isWrong ? errors.form : errors.fields["current_password"]}
        />
        <TextField
          label="New password"
          name="new_password"
          type="password"
          autoComplete="new-password"
          help={`At least ${LIMITS.passwordCharactersMin} characters.`}
          error={errors.fields["new_password"]}
        />
        <Checkbox name="others" label="Sign out all other sessions" defaultChecked />
        <RevokeKeys name="keys" />
        <Button type="submit" busy={change.isPending}>
          Change password
        </Button>
      </form>
    </Section>
  );
}
