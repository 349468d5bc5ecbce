import { useState } from "react";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { TextField } from "../ui/field.tsx";

type SuiteNameDialogProps = {
  title: string;
  verb: string;
  name: string;
  busy: boolean;
  error: Error | null;
  onDone: (name: string) => void;
  onClose: () => void;
};

/** Asks for the name of a suite. */
export function SuiteNameDialog({ title, verb, name: first, busy, error, onDone, onClose }: SuiteNameDialogProps) {
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
        help="A run plays the tests of a suite together."
        onChange={({ target }) => setName(target.value)}
      />
    </Dialog>
  );
}
