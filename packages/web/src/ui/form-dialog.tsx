import type { ReactNode } from "react";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import styles from "./form-dialog.module.css";
import { type FormErrors, isRefused, useRefusalInView, valuesOf } from "./form.ts";
import { Notice } from "./notice.tsx";

type FormDialogProps = {
  title: ReactNode;
  lede?: ReactNode;
  /** Verb on the button. */
  submit: string;
  wide?: boolean;
  errors: FormErrors;
  busy: boolean;
  onSubmit: (values: Record<string, string>) => unknown;
  onClose: () => void;
  children: ReactNode;
};

export function FormDialog({ submit, errors, busy, onSubmit, onClose, children, ...dialog }: FormDialogProps) {
  const content = useRefusalInView<HTMLDivElement>(busy, isRefused(errors));
  return (
    <Dialog
      {...dialog}
      onClose={onClose}
      onSubmit={({ currentTarget }) => void (busy || onSubmit(valuesOf(currentTarget)))}
      footer={
        <>
          <Button look="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" look="primary" busy={busy}>
            {submit}
          </Button>
        </>
      }
    >
      <div ref={content} className={styles["content"]}>
        {errors.form !== undefined && <Notice kind="failed">{errors.form}</Notice>}
        {children}
      </div>
    </Dialog>
  );
}
