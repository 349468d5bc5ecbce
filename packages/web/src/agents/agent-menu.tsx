import { Archive, Ellipsis, Pencil } from "lucide-react";
import { useState } from "react";
import { Button } from "../ui/button.tsx";
import { Menu, MenuItem } from "../ui/menu.tsx";
import type { Agent } from "./agent-words.ts";
import { ArchiveAgent } from "./archive-agent.tsx";
import { RenameAgent } from "./rename-agent.tsx";

/** Renames and archives a live agent. */
export function AgentMenu({ agent }: { agent: Agent }) {
  const [open, setOpen] = useState<"name" | "archive">();
  const close = () => setOpen(undefined);
  return (
    <>
      <Menu
        trigger={
          <Button look="quiet" iconOnly aria-label="Actions for this agent">
            <Ellipsis size={16} aria-hidden />
          </Button>
        }
      >
        <MenuItem icon={Pencil} onSelect={() => setOpen("name")}>
          Rename
        </MenuItem>
        <MenuItem icon={Archive} danger onSelect={() => setOpen("archive")}>
          Archive
        </MenuItem>
      </Menu>
      {open === "name" && <RenameAgent agent={agent} onClose={close} />}
      {open === "archive" && <ArchiveAgent agent={agent} onClose={close} />}
    </>
  );
}
