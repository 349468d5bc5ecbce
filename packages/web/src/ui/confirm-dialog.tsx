import { type ReactNode, useState } from "react";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { Failure } from "./failure.tsx";
import { TextField } from "./field.tsx";

type ConfirmDialogProps = {
  title: ReactNode;
  /** The verb on the button. */
  action: string;
  /** The person types this name before the button works. */
  name?: string;
  busy?: boolean;
  error?: unknown;
  onClose: () => void;
  onConfirm: () => void;
  /** The consequences of the action, and the records that stay. */
  children: ReactNode;
};

/** Asks before something that cannot be undone. */
export function ConfirmDialog({ title, action, name, busy, error, onClose, onConfirm, children }: ConfirmDialogProps) {
  const [typed, setTyped] = useState("");
  const isNamed = name === undefined || typed.trim() === name.trim();
  return (
    <Dialog
      title={title}
      onClose={onClose}
      onSubmit={() => isNamed && onConfirm()}
      keepsNoText
      footer={
        <>
          <Button look="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" look="danger" busy={busy === true} disabled={!isNamed}>
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
      {error !== undefined && error !== null && <Failure error={error} />}
    </Dialog>
  );
}
