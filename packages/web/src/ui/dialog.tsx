import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import { Button } from "./button.tsx";
import { classes } from "./classes.ts";
import { TextField } from "./field.tsx";
import { Notice } from "./notice.tsx";
import styles from "./dialog.module.css";

type DialogProps = {
  title: string;
  lede?: ReactNode;
  open: boolean;
  onClose: () => void;
  wide?: boolean;
  footer?: ReactNode;
  closable?: boolean;
  children?: ReactNode;
};

/** A dialog above the page. */
export function Dialog({ title, lede, open, onClose, wide, footer, closable = true, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    if (open) dialog.current?.showModal();
    else dialog.current?.close();
  }, [open]);
  return (
    <dialog
      ref={dialog}
      className={classes(styles["dialog"], wide && styles["wide"])}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        if (closable) onClose();
      }}
    >
      <header className={styles["head"]}>
        <h2 id={id}>{title}</h2>
        {lede !== undefined && <p>{lede}</p>}
      </header>
      {children !== undefined && <div className={styles["body"]}>{children}</div>}
      {footer !== undefined && <footer className={styles["foot"]}>{footer}</footer>}
    </dialog>
  );
}

type ConfirmProps = {
  title: string;
  children: ReactNode;
  action: string;
  name?: string;
  danger?: boolean;
  busy: boolean;
  error?: unknown;
  open: boolean;
  onClose: () => void;
  onConfirm: () => void;
};

export function ConfirmDialog({
  title,
  children,
  action,
  name,
  danger,
  busy,
  error,
  open,
  onClose,
  onConfirm,
}: ConfirmProps) {
  const [typed, setTyped] = useState("");
  return (
    <Dialog
      title={title}
      open={open}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look={danger ? "danger" : "primary"}
            busy={busy}
            disabled={name !== undefined && typed !== name}
            onClick={onConfirm}
          >
            {action}
          </Button>
        </>
      }
    >
      {children}
      {name !== undefined && (
        <TextField
          label={`Type “${name}” to confirm`}
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
      )}
      {error !== undefined && error !== null && <Notice kind="failed">{(error as Error).message}</Notice>}
    </Dialog>
  );
}
