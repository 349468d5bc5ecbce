import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { clientOf } from "../client.ts";
import { forgetSignIn } from "../frame/signed-in-before.ts";
import { Button } from "../ui/button.tsx";
import { Section } from "../ui/card.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { TextField } from "../ui/field.tsx";
import styles from "./account.module.css";

/** Deletes the account after the person has typed the address and the password. */
export function DeleteAccount({ email }: { email: string }) {
  const [isOpen, setOpen] = useState(false);
  const [password, setPassword] = useState("");
  const remove = useMutation({
    mutationFn: () => clientOf().accounts.deleteUser({ password }),
    onSuccess: () => {
      forgetSignIn();
      location.assign("/sign-in");
    },
  });
  const close = () => {
    setOpen(false);
    setPassword("");
    remove.reset();
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
          busy={remove.isPending}
          error={remove.error}
          onClose={close}
          onConfirm={() => remove.mutate()}
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
