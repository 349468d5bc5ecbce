import { useNavigate } from "@tanstack/react-router";
import { Archive, ArchiveRestore, Copy, Star, Undo2 } from "lucide-react";
import { useState } from "react";
import { queries } from "../queries.ts";
import { NameDialog } from "../editing/name-dialog.tsx";
import { usePlace } from "../shell/place.ts";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/dialog.tsx";
import { Menu, MenuItem } from "../ui/menu.tsx";
import { useToast } from "../ui/toast.tsx";
import { personaQuery } from "./queries.ts";
import type { Persona } from "./persona-content.ts";

type PersonaActionsProps = { persona: Persona; isChanged: boolean; onDiscard: () => void };

export function PersonaActions({ persona, isChanged, onDiscard }: PersonaActionsProps) {
  const place = usePlace();
  const { client, organizationId, projectId, params } = place;
  const navigate = useNavigate();
  const toast = useToast();
  const [step, setStep] = useState<"fork" | "archive" | "restore" | "default">();
  const one = { personaId: persona.id, projectId };
  const store = (stored: Persona) => {
    queries.setQueryData(personaQuery(place, stored.id).queryKey, stored);
    void queries.invalidateQueries({ queryKey: [organizationId, projectId, "personas.list"] });
    // A new default persona also changes the previous one.
    void queries.invalidateQueries({ queryKey: [organizationId, projectId, "personas.get"] });
  };
  const fork = async (name: string) => {
    const { persona: copy } = await client.personas.fork({ ...one, name });
    store(copy);
    await navigate({
      to: "/o/$organizationId/p/$project/personas/$personaId",
      params: { ...params, personaId: copy.id },
    });
  };
  const archive = async () => {
    const { persona: stored } = await client.personas.archive(one);
    onDiscard();
    store(stored);
  };
  const promote = async () => {
    const { persona: stored } = await client.personas.makeDefault(one);
    store(stored);
    toast(`${stored.name} plays the tests without personas.`);
  };
  const close = () => setStep(undefined);
  const isShipped = persona.source === "shipped";
  return (
    <>
      {isShipped ? (
        <Button look="primary" onClick={() => setStep("fork")}>
          <Copy size={14} aria-hidden />
          Copy it
        </Button>
      ) : (
        persona.archived && (
          <Button look="primary" onClick={() => setStep("restore")}>
            <ArchiveRestore size={14} aria-hidden />
            Restore
          </Button>
        )
      )}
      <Menu label="More">
        {isChanged && (
          <MenuItem icon={Undo2} onSelect={onDiscard}>
            Discard edits
          </MenuItem>
        )}
        <MenuItem icon={Star} disabled={persona.isDefault || persona.archived} onSelect={() => setStep("default")}>
          Make it the project's default …
        </MenuItem>
        {!isShipped && (
          <MenuItem icon={Copy} onSelect={() => setStep("fork")}>
            Copy into a new persona …
          </MenuItem>
        )}
        {!isShipped && !persona.archived && (
          <MenuItem icon={Archive} danger onSelect={() => setStep("archive")}>
            Archive …
          </MenuItem>
        )}
      </Menu>
      {step === "fork" && (
        <NameDialog
          title={`Copy ${persona.name}`}
          verb="Create copy"
          name={`${persona.name} (copy)`}
          act={fork}
          onClose={close}
        />
      )}
      {step === "restore" && (
        <NameDialog
          title={`Restore ${persona.name}`}
          verb="Restore persona"
          name={persona.name}
          act={async (name) => store((await client.personas.restore({ ...one, name })).persona)}
          onClose={close}
        />
      )}
      {step === "archive" && (
        <ConfirmDialog title={`Archive ${persona.name}?`} action="Archive persona" act={archive} onClose={close}>
          New tests cannot name it any more. Tests that name it keep it, and you can restore it.
        </ConfirmDialog>
      )}
      {step === "default" && (
        <ConfirmDialog
          title={`Make ${persona.name} the project's default?`}
          action="Make default"
          act={promote}
          onClose={close}
        >
          It plays every test without personas from the next run on.
        </ConfirmDialog>
      )}
    </>
  );
}
