import { X } from "lucide-react";
import { type FormEvent, type ReactNode, useEffect, useId, useRef } from "react";
import { Button } from "./button.tsx";
import { classes } from "./classes.ts";
import styles from "./dialog.module.css";

type DialogProps = {
  title: ReactNode;
  lede?: ReactNode;
  wide?: boolean;
  /** Controls at the foot. */
  footer?: ReactNode;
  /** Without it only a control of the dialog closes it, and Escape does nothing. */
  onClose?: (() => void) | undefined;
  /** Makes the dialog a form. */
  onSubmit?: (event: FormEvent<HTMLFormElement>) => void;
  children?: ReactNode;
};

/** A dialog that is open as long as it is rendered. It keeps the focus, and gives it back at the end. */
export function Dialog({ title, lede, wide, footer, onClose, onSubmit, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const before = document.activeElement;
    const shown = dialog.current;
    shown?.showModal();
    return () => {
      shown?.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  const content = (
    <>
      <header className={styles["head"]}>
        <h2 id={id}>{title}</h2>
        {onClose && (
          <Button look="quiet" small iconOnly aria-label="Close" onClick={onClose}>
            <X size={16} aria-hidden />
          </Button>
        )}
        {lede !== undefined && <p>{lede}</p>}
      </header>
      {children !== undefined && <div className={styles["body"]}>{children}</div>}
      {footer !== undefined && <footer className={styles["foot"]}>{footer}</footer>}
    </>
  );
  return (
    <dialog
      ref={dialog}
      className={classes(styles["dialog"], wide && styles["wide"])}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose?.();
      }}
      onClick={(event) => event.target === dialog.current && onClose?.()}
    >
      {onSubmit ? (
        <form
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            onSubmit(event);
          }}
        >
          {content}
        </form>
      ) : (
        <div>{content}</div>
      )}
    </dialog>
  );
}
