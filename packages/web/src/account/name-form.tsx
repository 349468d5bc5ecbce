import { useMutation } from "@tanstack/react-query";
import { clientOf } from "../client.ts";
import { queries } from "../queries.ts";
import { sessionQuery } from "../session.ts";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { formErrorsOf, NO_ERRORS } from "../ui/form-errors.ts";
import { valuesOf } from "../ui/form-values.ts";
import { Notice } from "../ui/notice.tsx";
import styles from "./account.module.css";

/** Changes the person's name. */
export function NameForm({ name }: { name: string }) {
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
