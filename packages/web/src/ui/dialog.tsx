import { useMutation } from "@tanstack/react-query";
import { X } from "lucide-react";
import { createContext, type FormEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";
import { Button } from "./button.tsx";
import { classes } from "./classes.ts";
import styles from "./dialog.module.css";
import { Failure } from "./notice.tsx";
import { TextField } from "./field.tsx";

/** The control that has the focus first. Without one the browser chooses. */
const FIRST_FIELD = ":is(input, select, textarea):not([disabled], [readonly])";

/** A field whose text a person types; the search text of a combobox is no part of a form. */
const TYPED_FIELD = "textarea, input:not([type=checkbox], [type=radio], [role=combobox])";

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
  /** Closes without a question, because no typed text is worth keeping. */
  keepsNoText?: boolean;
  children?: ReactNode;
};

/**
 * A dialog that is open as long as it is rendered. It keeps the focus, and gives it back at the end. A form with typed text
 * asks before Escape or its cross closes it.
 */
export function Dialog({ title, lede, wide, footer, onClose, onSubmit, keepsNoText, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const [container, setContainer] = useState<HTMLElement | null>(null);
  useEffect(() => {
    const before = document.activeElement;
    const shown = dialog.current!;
    shown.showModal();
    shown.querySelector<HTMLElement>(FIRST_FIELD)?.focus();
    setContainer(shown);
    return () => {
      shown.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  // A press that begins in a field and ends outside closes nothing, and neither does a press beside a form.
  const pressed = useRef<EventTarget>(null);
  const isTyped = useRef(false);
  const [asks, setAsks] = useState(false);
  const close = () => {
    if (onSubmit && isTyped.current && !keepsNoText) setAsks(!asks);
    else onClose?.();
  };
  const content = (
    <>
      <header className={styles["head"]}>
        <h2 id={id}>{title}</h2>
        {onClose && (
          <Button look="quiet" small iconOnly aria-label="Close" onClick={close}>
            <X size={16} aria-hidden />
          </Button>
        )}
        {lede !== undefined && <p>{lede}</p>}
      </header>
      {children !== undefined && <div className={styles["body"]}>{children}</div>}
      {footer !== undefined && (
        <footer className={styles["foot"]} hidden={asks}>
          {footer}
        </footer>
      )}
      {asks && <UnsavedText onKeep={() => setAsks(false)} onDiscard={() => onClose?.()} />}
    </>
  );
  return (
    <dialog
      ref={dialog}
      className={classes(styles["dialog"], wide && styles["wide"])}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        if (onClose) close();
      }}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || event.defaultPrevented) return;
        // Chromium closes a dialog at the second Escape, whatever `cancel` says.
        event.preventDefault();
        event.stopPropagation();
        if (onClose) close();
      }}
      onPointerDown={(event) => {
        pressed.current = event.target;
      }}
      onClick={({ target }) => {
        if (target === dialog.current && target === pressed.current && !onSubmit) onClose?.();
      }}
    >
      <DialogContainer value={container}>
        {onSubmit ? (
          <form
            noValidate
            onInput={({ target }) => {
              if (target instanceof Element && target.matches(TYPED_FIELD)) isTyped.current = true;
            }}
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
      </DialogContainer>
    </dialog>
  );
}

/** The question before a form closes that loses typed text; Escape answers it with keeping the text. */
const UnsavedText = ({ onKeep, onDiscard }: { onKeep: () => void; onDiscard: () => void }) => (
  <footer className={styles["foot"]}>
    <p role="alert">Your text is not saved.</p>
    <Button look="danger" onClick={onDiscard}>
      Discard the text
    </Button>
    <Button look="primary" autoFocus onClick={onKeep}>
      Keep editing
    </Button>
  </footer>
);

/** The open dialog around a component; menus and panels are drawn inside it, because everything outside it is inert. */
export const DialogContainer = createContext<HTMLElement | null>(null);

type ConfirmDialogProps<T> = {
  title: ReactNode;
  /** The verb on the button. */
  action: string;
  /** The person types this name before the button works. */
  name?: string;
  /** Acts; the dialog shows why the service refused. */
  act: () => T | Promise<T>;
  /** Follows the act; by default the dialog closes. */
  onDone?: (answer: T) => void;
  onClose: () => void;
  /** The consequences of the action, and the records that stay. */
  children: ReactNode;
};

/** Asks before something that cannot be undone. */
export function ConfirmDialog<T>({
  title,
  action,
  name,
  act,
  onDone = () => onClose(),
  onClose,
  children,
}: ConfirmDialogProps<T>) {
  const { mutate, isPending, error } = useMutation({
    mutationFn: async () => act(),
    onSuccess: (answer) => onDone(answer),
  });
  const [typed, setTyped] = useState("");
  const isNamed = name === undefined || typed.trim() === name.trim();
  return (
    <Dialog
      title={title}
      onClose={onClose}
      onSubmit={() => isNamed && mutate()}
      keepsNoText
      footer={
        <>
          <Button look="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" look="danger" busy={isPending} disabled={!isNamed}>
            {action}
          </Button>
        </>
      }
    >
      <div>{children}</div>
      {name !== undefined && (
        <TextField
          label={`Type “${name}” to confirm`}
          value={typed}
          autoComplete="off"
          onChange={(event) => setTyped(event.target.value)}
        />
      )}
      {error && <Failure error={error} />}
    </Dialog>
  );
}
