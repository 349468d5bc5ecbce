import { useState } from "react";
import { usePlace } from "../frame/place.ts";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import type { Agent } from "./agent-words.ts";
import { RenameAgent } from "./rename-agent.tsx";

/** Says that an agent is archived, and restores it. */
export function ArchivedNotice({ agent }: { agent: Agent }) {
  const { canWrite } = usePlace();
  const [isOpen, setOpen] = useState(false);
  return (
    <Notice
      kind="warning"
      action={
        canWrite && (
          <Button small onClick={() => setOpen(true)}>
            Restore agent
          </Button>
        )
      }
    >
      This agent is archived. No run can start against it.
      {isOpen && <RenameAgent agent={agent} onClose={() => setOpen(false)} />}
    </Notice>
  );
}
