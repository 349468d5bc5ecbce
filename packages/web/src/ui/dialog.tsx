import { useMutation } from "@tanstack/react-query";
import { X } from "lucide-react";
import { createContext, type FormEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";
import { Button } from "./button.tsx";
import { classes } from "./classes.ts";
import styles from "./dialog.module.css";
import { Failure } from "./notice.tsx";
import { TextField } from "./field.tsx";

/** Selects the fields of which the first gets the focus. Without such a field, the browser selects an element. */
const FIRST_FIELD = ":is(input, select, textarea):not([disabled], [readonly])";

/** Selects fields into which a user types. The search text of a combobox is not part of the form. */
const TYPED_FIELD = "textarea, input:not([type=checkbox], [type=radio], [role=combobox])";

type DialogProps = {
  title: ReactNode;
  lede?: ReactNode;
  wide?: boolean;
  footer?: ReactNode;
  /** If undefined, Escape does nothing. Only the dialog's own controls then close it. */
  onClose?: (() => void) | undefined;
  /** Makes the dialog a form. */
  onSubmit?: (event: FormEvent<HTMLFormElement>) => void;
  /** Closes the dialog without a question, although text was typed. */
  keepsNoText?: boolean;
  children?: ReactNode;
};

/**
 * Dialog that is open while it is rendered. While it is open, the focus stays inside. At the end, the focus returns to the previous
 * element. A form with typed text asks before Escape or the close button discards the text.
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
  // A press that begins in a field and ends outside does not close the dialog. A form is never closed by a press outside.
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
        // At a second Escape, Chromium closes the dialog even if the `cancel` event is prevented.
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

/**
 * Element of the surrounding dialog; null outside a dialog. Menus and panels must be rendered inside this element, because
 * everything outside an open dialog is inert.
 */
export const DialogContainer = createContext<HTMLElement | null>(null);

type ConfirmDialogProps<T> = {
  title: ReactNode;
  /** Verb on the button. */
  action: string;
  /** Name that the user must type before the button is enabled. If undefined, the button is enabled at once. */
  name?: string;
  /** If the service rejects the request, the dialog shows the error. */
  act: () => T | Promise<T>;
  /** The default closes the dialog. */
  onDone?: (answer: T) => void;
  onClose: () => void;
  /** Text on what the action does, and which records remain. */
  children: ReactNode;
};

/** Dialog that asks for confirmation of an action that cannot be undone. */
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
