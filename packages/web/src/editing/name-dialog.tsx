import { useState } from "react";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { TextField } from "../ui/field.tsx";

type NameDialogProps = {
  title: string;
  verb: string;
  /** The name that the field begins with. */
  name: string;
  help?: string;
  busy: boolean;
  error: Error | null;
  onDone: (name: string) => void;
  onClose: () => void;
};

/** Asks for a name; shows the service's words beside it. */
export function NameDialog({ title, verb, name: first, help, busy, error, onDone, onClose }: NameDialogProps) {
  const [name, setName] = useState(first);
  return (
    <Dialog
      title={title}
      onClose={onClose}
      onSubmit={() => {
        if (name.trim() !== "") onDone(name);
      }}
      footer={
        <>
          <Button look="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" look="primary" busy={busy} disabled={name.trim() === ""}>
            {verb}
          </Button>
        </>
      }
    >
      <TextField
        label="Name"
        value={name}
        autoFocus
        error={error?.message}
        help={help}
        onChange={({ target }) => setName(target.value)}
      />
    </Dialog>
  );
}
