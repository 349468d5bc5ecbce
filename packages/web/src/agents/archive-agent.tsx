import { useMutation } from "@tanstack/react-query";
import { usePlace } from "../frame/place.ts";
import { queries } from "../queries.ts";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import type { Agent } from "./agent-words.ts";

/** Archives an agent after a confirmation. */
export function ArchiveAgent({ agent, onClose }: { agent: Agent; onClose: () => void }) {
  const { client, organizationId, projectId } = usePlace();
  const archive = useMutation({
    mutationFn: () => client.agents.archive({ projectId, agentId: agent.id }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: [organizationId, projectId] });
      onClose();
    },
  });
  return (
    <ConfirmDialog
      title={`Archive “${agent.name}”`}
      action="Archive agent"
      busy={archive.isPending}
      error={archive.error}
      onClose={onClose}
      onConfirm={() => archive.mutate()}
    >
      <p>
        Its connections are archived too, and its runs that are under way are canceled. Its conversations and results
        stay. You can restore it.
      </p>
    </ConfirmDialog>
  );
}
