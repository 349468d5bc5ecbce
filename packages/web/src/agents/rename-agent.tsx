import { LIMITS } from "@svc/sdk";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { usePlace } from "../shell/place.ts";
import { queries } from "../queries.ts";
import { TextField } from "../ui/field.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { formErrorsOf, NO_ERRORS } from "../ui/form.ts";
import { Notice } from "../ui/notice.tsx";
import type { Agent } from "./agent-words.ts";
import { agentQuery } from "./queries.ts";
import { currentOf } from "./stale.ts";

/** Dialog that renames a live agent, or restores an archived one. A restored agent needs a name that no live agent has. */
export function RenameAgent({ agent, onClose }: { agent: Agent; onClose: () => void }) {
  const place = usePlace();
  const { client, organizationId, projectId } = place;
  const [seen, setSeen] = useState(agent);
  const save = useMutation({
    mutationFn: (name: string) => {
      const named = { projectId, agentId: agent.id, name };
      return agent.archived
        ? client.agents.restore(named)
        : client.agents.edit({ ...named, expectedRevision: seen.revision });
    },
    onSuccess: async (answer) => {
      queries.setQueryData(agentQuery(place, agent.id).queryKey, answer);
      await queries.invalidateQueries({ queryKey: [organizationId, projectId, "agents.list"] });
      onClose();
    },
    // After a conflict the notice shows the current name. The next save then replaces that name.
    onError: (error) => setSeen(currentOf<Agent>(error) ?? seen),
  });
  const current = currentOf<Agent>(save.error);
  const errors = save.error && current === undefined ? formErrorsOf(save.error, ["name"]) : NO_ERRORS;
  return (
    <FormDialog
      title={agent.archived ? `Restore “${agent.name}”` : `Rename “${agent.name}”`}
      lede={
        agent.archived
          ? "Its connections stay archived. Restore each one that you need."
          : "Conversations arrive under the name that the agent states. Conversations under the old name stay under it."
      }
      submit={agent.archived ? "Restore" : current === undefined ? "Save" : "Save anyway"}
      errors={errors}
      busy={save.isPending}
      onSubmit={({ name = "" }) => save.mutate(name)}
      onClose={onClose}
    >
      {current && (
        <Notice kind="warning">
          Another person named this agent “{current.name}” while you typed. “Save anyway” replaces that name.
        </Notice>
      )}
      <TextField
        label="Name"
        name="name"
        autoComplete="off"
        autoFocus
        defaultValue={agent.name}
        maxLength={LIMITS.nameCharacters}
        error={errors.fields["name"]}
      />
    </FormDialog>
  );
}
