import type { ReactNode } from "react";
import { useId } from "react";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import type { FormErrors } from "./form-errors.ts";
import { valuesOf } from "./form-values.ts";
import { Notice } from "./notice.tsx";

type FormDialogProps = {
  title: string;
  lede?: ReactNode;
  /** The verb on the button. */
  submit: string;
  /** Marks a button that deletes something. */
  danger?: boolean;
  /** Blocks the button until the form is complete. */
  incomplete?: boolean;
  wide?: boolean;
  errors: FormErrors;
  busy: boolean;
  onSubmit: (values: Record<string, string>) => unknown;
  onClose: () => void;
  children?: ReactNode;
};

/** A dialog with a form: its fields, the refusal of the whole form, and two buttons. */
export function FormDialog(props: FormDialogProps) {
  const { title, lede, submit, danger, incomplete, wide, errors, busy, onSubmit, onClose, children } = props;
  const id = useId();
  return (
    <Dialog
      title={title}
      lede={lede}
      open
      onClose={onClose}
      {...(wide !== undefined && { wide })}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={id} look={danger ? "danger" : "primary"} busy={busy} disabled={incomplete}>
            {submit}
          </Button>
        </>
      }
    >
      <form
        id={id}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (!busy && incomplete !== true) void onSubmit(valuesOf(event.currentTarget));
        }}
      >
        {errors.form !== undefined && <Notice kind="failed">{errors.form}</Notice>}
        {children}
      </form>
    </Dialog>
  );
}
