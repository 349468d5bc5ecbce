import type { ReactNode } from "react";
import { Button } from "../ui/button.tsx";
import { type FormErrors, isRefused } from "../ui/form-errors.ts";
import { valuesOf } from "../ui/form-values.ts";
import { Notice } from "../ui/notice.tsx";
import { useRefusalInView } from "../ui/use-refusal-in-view.ts";
import styles from "./door.module.css";

type DoorFormProps = {
  errors: FormErrors;
  busy: boolean;
  /** The verb on the button. */
  submit: string;
  onSubmit: (values: Record<string, string>) => unknown;
  children: ReactNode;
};

/** A form of a door: what is wrong with the whole form, the fields, and one button. */
export function DoorForm({ errors, busy, submit, onSubmit, children }: DoorFormProps) {
  const content = useRefusalInView<HTMLFormElement>(busy, isRefused(errors));
  return (
    <form
      ref={content}
      className={styles["fields"]}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void onSubmit(valuesOf(event.currentTarget));
      }}
    >
      {errors.form !== undefined && <Notice kind="failed">{errors.form}</Notice>}
      {children}
      <Button type="submit" look="primary" busy={busy}>
        {submit}
      </Button>
    </form>
  );
}
