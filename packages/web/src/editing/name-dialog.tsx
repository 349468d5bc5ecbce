import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { TextField } from "../ui/field.tsx";

type NameDialogProps = {
  title: string;
  verb: string;
  name: string;
  lede?: string;
  help?: ReactNode;
  /** Further fields below the name. */
  children?: ReactNode;
  /** After the request, the dialog closes or shows the service's error. */
  act: (name: string) => unknown;
  onClose: () => void;
};

export function NameDialog({ title, verb, name: first, lede, help, children, act, onClose }: NameDialogProps) {
  const [name, setName] = useState(first);
  const { mutate, isPending, error } = useMutation({ mutationFn: async () => act(name), onSuccess: () => onClose() });
  return (
    <Dialog
      title={title}
      lede={lede}
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
      {children}
    </Dialog>
  );
}
