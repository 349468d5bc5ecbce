import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { TextField } from "../ui/field.tsx";

type NameDialogProps = {
  title: string;
  verb: string;
  /** Initial name in the field. */
  name: string;
  help?: string;
  /** Sends the request with the name. The dialog then closes, or shows the service's error. */
  act: (name: string) => unknown;
  onClose: () => void;
};

/** Dialog that asks for a name, and shows the service's error beside the field. */
export function NameDialog({ title, verb, name: first, help, act, onClose }: NameDialogProps) {
  const [name, setName] = useState(first);
  const { mutate, isPending, error } = useMutation({ mutationFn: async () => act(name), onSuccess: () => onClose() });
  return (
    <Dialog
      title={title}
      onClose={onClose}
      onSubmit={() => {
        if (name.trim() !== "") mutate();
      }}
      footer={
        <>
          <Button look="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" look="primary" busy={isPending} disabled={name.trim() === ""}>
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
