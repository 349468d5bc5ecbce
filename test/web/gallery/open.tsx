import { Trash2 } from "lucide-react";
import { useEffect, useState } from "react";
import { Button } from "../../../packages/web/src/ui/button.tsx";
import { ConfirmDialog, Dialog } from "../../../packages/web/src/ui/dialog.tsx";
import { CopyLine } from "../../../packages/web/src/ui/copy.tsx";
import { TextField } from "../../../packages/web/src/ui/field.tsx";
import { Menu, MenuItem, MenuLabel, MenuSeparator } from "../../../packages/web/src/ui/menu.tsx";
import { useToast } from "../../../packages/web/src/ui/toast.tsx";

const ActionsMenu = () => (
  <Menu label="Actions">
    <MenuLabel>Test</MenuLabel>
    <MenuItem onSelect={() => {}}>Duplicate</MenuItem>
    <MenuSeparator />
    <MenuItem icon={Trash2} danger onSelect={() => {}}>
      Delete
    </MenuItem>
  </Menu>
);

/** Shows the components that float above the page. `name` chooses which of them are open. */
export function Open({ name }: { name: string | null }) {
  const toast = useToast();
  const [isForm, setForm] = useState(false);
  useEffect(() => {
    if (name === "toast") toast("Version 4 is saved.");
  }, [name, toast]);
  return (
    <>
      <ActionsMenu />
      <Button onClick={() => setForm(true)}>Open the form</Button>
      {isForm && (
        <Dialog title="Rename the suite" onClose={() => setForm(false)} onSubmit={() => setForm(false)}>
          <TextField label="Name" defaultValue="Booking by phone" />
          <ActionsMenu />
        </Dialog>
      )}
      {name === "secret" && (
        <Dialog
          title="Copy the key now"
          lede="The service shows it only once."
          footer={<Button look="primary">I have copied it</Button>}
        >
          <CopyLine text="svc_0123456789abcdefghijklmnopqrstuvwxyz" />
          <ActionsMenu />
        </Dialog>
      )}
      {name === "confirm" && (
        <ConfirmDialog
          title="Delete the suite?"
          action="Delete"
          name="Booking by phone"
          act={() => {}}
          onClose={() => {}}
        >
          Its tests go with it. Finished runs stay.
        </ConfirmDialog>
      )}
    </>
  );
}
